"""The studio as an application of Django."""

from django.apps import AppConfig


class StudioApp(AppConfig):
    """All tables of the studio are one application's."""

    name = "mores.studio"
    label = "studio"
    verbose_name = "mores studio"
