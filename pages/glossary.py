"""Glossary: the words of the field, each in a sentence."""

from distpriv.dashboard.glossary import terms

terms.look_up()
