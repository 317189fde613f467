"""The table of addresses: the studio's own pages, then what each flow adds under its projects."""

from django.urls import include, path

from mores.studio.accounts import views as accounts
from mores.studio.flows.registry import flows
from mores.studio.web import exporting, home, importing, inviting, language, projects, working

PROJECT = "p/<slug:slug>/"
urlpatterns = [
    path("", home.home, name="home"),
    path("health", home.health, name="health"),
    path("language", language.choose, name="language"),
    path("sign-in", accounts.sign_in, name="sign-in"),
    path("sign-out", accounts.sign_out, name="sign-out"),
    path("enter/<str:token>", accounts.enter, name="enter"),
    path("new", projects.new, name="new-project"),
    path(PROJECT, projects.show, name="project"),
    path(f"{PROJECT}screening", accounts.screening, name="screening"),
    path(f"{PROJECT}guidelines", projects.guidelines, name="guidelines"),
    path(f"{PROJECT}state", projects.state, name="project-state"),
    path(f"{PROJECT}invite", inviting.invite, name="invite"),
    path(f"{PROJECT}import", importing.import_items, name="import"),
    path(f"{PROJECT}export/<slug:name>", exporting.export, name="export"),
    path(f"{PROJECT}work", working.work, name="work"),
    path(f"{PROJECT}work/<int:number>/draft", working.draft, name="work-draft"),
    path(f"{PROJECT}work/<int:number>/skip", working.pass_by, name="work-skip"),
    path(f"{PROJECT}work/<int:number>/undo", working.take_back, name="work-undo"),
    path(f"{PROJECT}work/<int:number>", working.work_on, name="work-on"),
    *(
        path(PROJECT, include([path(route.path, route.view, name=route.name) for route in flow.routes]))
        for flow in flows().values()
    ),
]
handler400 = "mores.studio.web.errors.unusable"
handler404 = "mores.studio.web.errors.missing"
handler500 = "mores.studio.web.errors.broken"
