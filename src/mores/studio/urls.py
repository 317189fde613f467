"""The table of addresses: the studio's own pages, then what each flow adds under its projects."""

from django.urls import include, path

from mores.studio.accounts import passwords
from mores.studio.accounts import views as accounts
from mores.studio.flows.flow import flows
from mores.studio.recruiting import views as recruiting
from mores.studio.web import (
    agreement,
    demonstration,
    items,
    members,
    own_answers,
    payments,
    progress,
    project_pages,
    projects,
    public,
    read_only,
    setup,
    working,
)

PROJECT = "p/<slug:slug>/"
urlpatterns = [
    path("", project_pages.home, name="home"),
    path("health", project_pages.health, name="health"),
    path("preferences", project_pages.choose, name="preferences"),
    path("sign-in", accounts.sign_in, name="sign-in"),
    path("sign-out", accounts.sign_out, name="sign-out"),
    path("enter/<str:token>", accounts.enter, name="enter"),
    path("password", passwords.change, name="password"),
    path("accounts", passwords.accounts, name="accounts"),
    path("accounts/<int:number>/reset", passwords.make_reset, name="account-reset"),
    path("accounts/<int:number>/switch", passwords.switch, name="account-switch"),
    path("reset/<str:account>/<str:token>", passwords.reset, name="reset"),
    path("audit", project_pages.studio_trail, name="audit-studio"),
    path("new", projects.new, name="new-project"),
    path("admin/", read_only.SITE.urls),
    path("new/demonstration", demonstration.make, name="demonstration"),
    path("about/<slug:slug>", public.public, name="public"),
    path(PROJECT, projects.show, name="project"),
    path(f"{PROJECT}screening", accounts.screening, name="screening"),
    path(f"{PROJECT}withdraw", accounts.leave_for_good, name="withdraw"),
    path(f"{PROJECT}credit", public.credit, name="credit"),
    path(f"{PROJECT}guidelines", projects.guidelines, name="guidelines"),
    path(f"{PROJECT}state", projects.state, name="project-state"),
    path(f"{PROJECT}invite", members.invite, name="invite"),
    path(f"{PROJECT}import", project_pages.import_items, name="import"),
    path(f"{PROJECT}export/<slug:name>", project_pages.export, name="export"),
    path(f"{PROJECT}setup", setup.setup, name="setup"),
    path(f"{PROJECT}progress", progress.progress, name="progress"),
    path(f"{PROJECT}audit", project_pages.trail, name="audit"),
    path(f"{PROJECT}members", members.members, name="members"),
    path(f"{PROJECT}members/<int:number>/leave", members.leave, name="member-leave"),
    path(f"{PROJECT}members/links/<int:number>/end", members.end_link, name="link-end"),
    path(f"{PROJECT}members/people/<int:number>/end", recruiting.end_by_hand, name="person-end"),
    path(f"{PROJECT}payments", payments.payments, name="payments"),
    path(f"{PROJECT}payments.csv", payments.table, name="payments-table"),
    path(f"{PROJECT}studies", recruiting.studies, name="studies"),
    path(f"{PROJECT}studies/<int:number>", recruiting.change, name="study"),
    path(f"{PROJECT}studies/submissions", recruiting.submissions, name="submissions"),
    path(f"{PROJECT}prolific", recruiting.enter, name="prolific"),
    path(f"{PROJECT}prolific/hook", recruiting.hook, name="prolific-hook"),
    path(f"{PROJECT}agreement", agreement.agreement, name="agreement"),
    path(f"{PROJECT}disagreement", agreement.disagreement, name="disagreement"),
    path(f"{PROJECT}disagreement/<int:number>", agreement.decide, name="decide"),
    path(f"{PROJECT}disagreement/<int:number>/more", agreement.one_more, name="one-more"),
    path(f"{PROJECT}personal", project_pages.flagged, name="personal"),
    path(f"{PROJECT}annotators", members.annotators, name="annotators"),
    path(f"{PROJECT}annotators/<int:number>", members.exclusion, name="exclusion"),
    path(f"{PROJECT}items", items.items, name="items"),
    path(f"{PROJECT}items/<int:number>", items.item, name="item"),
    path(f"{PROJECT}items/<int:number>/retire", items.retire_item, name="item-retire"),
    path(f"{PROJECT}items/<int:number>/settle", items.settle, name="problem-settle"),
    path(f"{PROJECT}imports/<int:number>/undo", items.undo, name="import-undo"),
    path(f"{PROJECT}answers", own_answers.answers, name="answers"),
    path(f"{PROJECT}work/<int:number>/problem", own_answers.problem, name="work-problem"),
    path(f"{PROJECT}work", working.work, name="work"),
    path(f"{PROJECT}work/<int:number>/draft", working.draft, name="work-draft"),
    path(f"{PROJECT}work/<int:number>/skip", working.pass_by, name="work-skip"),
    path(f"{PROJECT}work/<int:number>/undo", working.undo_skip_view, name="work-undo"),
    path(f"{PROJECT}work/<int:number>", working.work_on, name="work-on"),
    *(path(PROJECT, include(list(flow.routes))) for flow in flows().values()),
]
handler400 = "mores.studio.web.errors.unusable"
handler404 = "mores.studio.web.errors.missing"
handler500 = "mores.studio.web.errors.broken"
