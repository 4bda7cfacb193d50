"""Classroom: a room on the projector, and the phones in it."""

from distpriv.dashboard.classroom import doors
from distpriv.dashboard.classroom.phone import phone
from distpriv.dashboard.classroom.projector import projector

if doors.joined():
    phone()
elif leading := doors.leading():
    projector(leading)
else:
    doors.come_in()
