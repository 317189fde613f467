"""Django's settings: what is the same for every studio stands here as constants, `configure` adds the rest.

The constants make this a settings module of the usual kind, so that a type checker can read the models.
"""

import warnings
from ipaddress import ip_network
from pathlib import Path

import django
from csp.constants import NONE, SELF
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from mores.studio.config import StudioConfig

HERE = Path(__file__).parent
SECRET_KEY = "only-for-the-type-checker"  # noqa: S105 - each studio has its own
DEBUG = False
ROOT_URLCONF = "mores.studio.urls"
AUTH_USER_MODEL = "studio.Account"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.admin.apps.SimpleAdminConfig",
    "axes",
    "csp",
    "mores.studio.app.StudioApp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "mores.studio.web.middleware.SecurityHeaders",
    "mores.studio.web.middleware.LimitedBody",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "mores.studio.web.middleware.KnownNumbers",
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # A flow's own templates lie in its folder and are named by it: check/outcome.html.
        "DIRS": [HERE / "web" / "templates", HERE / "flows"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "mores.studio.templatetags.studio",
            ],
        },
    }
]
STUDIO_ORIGIN = ""  # scheme and host that links begin with
STUDIO_PRIVATE_HOOKS = False  # whether webhooks may lead into the network of the server
STATIC_URL = "/static/"
STATIC_ROOT = HERE / "web" / "static"
LOCALE_PATHS = [HERE / "locale"]
LANGUAGES = [
    ("en", _("English")),
    ("es", _("Spanish")),
    ("ar", _("Arabic")),
    ("fr", _("French")),
    ("hi", _("Hindi")),
    ("id", _("Indonesian")),
    ("sw", _("Swahili")),
]
STUDIO_UNCHECKED = {"fr", "hi", "id", "sw"}  # no speaker has read their catalogues yet; words they lack are English
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "mores.studio.web.errors.forgery"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        **{f"{kind}-src": [SELF] for kind in ("script", "style", "connect", "font")},
        "img-src": [SELF, "data:"],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1 << 22
AXES_USERNAME_FORM_FIELD = "username"
AXES_HANDLER = "mores.studio.accounts.limits.SignInLimits"
AXES_FAILURE_LIMIT = 100
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address", "username"]
AXES_LOCKOUT_CALLABLE = "mores.studio.web.errors.locked"
AXES_USERNAME_CALLABLE = "mores.studio.accounts.limits.name_counted"
AXES_CLIENT_IP_CALLABLE = "mores.studio.accounts.limits.address_counted"
AXES_CLIENT_STR_CALLABLE = "mores.studio.accounts.limits.shown_of_client"
AXES_DISABLE_ACCESS_LOG = True
# The page that somebody wants to go on to may be a link that lets people in.
AXES_SENSITIVE_PARAMETERS = ["username", "password", "next", "csrfmiddlewaretoken"]
AXES_VERBOSE = False
STUDIO_PROXIES = [ip_network("127.0.0.0/8"), ip_network("::1")]  # whose word on an address is taken
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "mores.studio.logs.Discreet", "fmt": "{levelname} {name}: {message}", "style": "{"},
    },
    "handlers": {"screen": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["screen"], "level": "WARNING"},
}


def configure(config: StudioConfig) -> None:
    """Set Django up for one studio; once a process."""
    own: dict[str, object] = {
        "SECRET_KEY": config.secret_key(),
        "DATABASES": config.databases(),
        "ALLOWED_HOSTS": config.hosts,
        "STUDIO_ORIGIN": config.origin,
        "STUDIO_PRIVATE_HOOKS": config.private_hooks,
        "STUDIO_PROXIES": [*STUDIO_PROXIES, *config.trusted_proxies()],
    }
    if config.https:
        own |= {
            "CSRF_TRUSTED_ORIGINS": [config.origin],
            "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
            "SECURE_SSL_REDIRECT": True,
            "SECURE_HSTS_SECONDS": 365 * 24 * 3600,
            "SECURE_HSTS_INCLUDE_SUBDOMAINS": True,
            "SECURE_HSTS_PRELOAD": True,
            "SESSION_COOKIE_SECURE": True,
            "CSRF_COOKIE_SECURE": True,
        }
    settings.configure(**{name: value for name, value in globals().items() if name.isupper()} | own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        django.setup()
