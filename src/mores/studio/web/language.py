"""Choosing the language of the studio's own words."""

from django.views.i18n import set_language

from mores.studio.web.access import for_everybody

choose = for_everybody(set_language)
