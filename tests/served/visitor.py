"""Speak with the served dashboard as a browser does, without one: sessions, sliders, uploads."""

from __future__ import annotations

import http.client
import ssl
from contextlib import suppress
from urllib.parse import urlsplit
from uuid import uuid4

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

TRUST = ssl._create_unverified_context()  # certificates are made in the tests
DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


def ask(address, method="GET", path="/", source="127.0.0.1", body=None, **headers):
    """Send one request from an address of this machine; return status, headers and body."""
    place = urlsplit(address)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
    more = {"context": TRUST} if place.scheme == "https" else {}
    line = kind(place.hostname, place.port, timeout=600, source_address=(source, 0), **more)
    try:
        line.request(method, path, body, headers)
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        line.close()


class Visitor:
    """One session, from the address `source` of this machine."""

    def __init__(self, address, page="", query="", source="127.0.0.1"):
        self.address, self.page, self.query, self.source = address, page, query, source
        self.values, self.elements, self.session = {}, {}, ""
        tls = {"ssl": TRUST} if address.startswith("https") else {}
        self.line = connect(
            f"ws{address.removeprefix('http')}/_stcore/stream",
            subprotocols=["streamlit"],
            origin=address,
            source_address=(source, 0),
            max_size=None,
            open_timeout=60,
            **tls,
        )
        self.socket = self.line.__enter__()
        self.run()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.line.__exit__(*error)

    def run(self, fragment="", seconds=120):
        """Run the script with the values of the controls, and wait for its end."""
        message = BackMsg()
        state = message.rerun_script
        state.page_name, state.query_string, state.fragment_id = self.page, self.query, fragment
        state.context_info.url = f"{self.address}/{self.page}"
        for name, (kind, value) in self.values.items():
            widget = state.widget_states.widgets.add(id=name)
            if kind == "double_array_value":
                widget.double_array_value.data.extend(value)
            elif kind == "file_uploader_state_value":
                widget.file_uploader_state_value.uploaded_file_info.add().CopyFrom(value)
            else:
                setattr(widget, kind, value)
        self.values = {name: one for name, one in self.values.items() if one[0] != "trigger_value"}
        self.socket.send(message.SerializeToString())
        while self.receive(seconds).script_finished not in DONE or not self.finished:
            pass

    def receive(self, seconds=120):
        """Take the next message, and what it draws."""
        message = ForwardMsg()
        message.ParseFromString(self.socket.recv(timeout=seconds))
        kind = message.WhichOneof("type")
        self.finished = kind == "script_finished"
        if kind == "new_session" and message.new_session.initialize.session_id:
            self.session = message.new_session.initialize.session_id
        if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            place = tuple(message.metadata.delta_path)
            self.elements[place] = message.delta.fragment_id, message.delta.new_element
        return message

    def control(self, kind, label=""):
        """Return the fragment and the control of a kind whose label begins so."""
        for fragment, element in reversed(self.elements.values()):
            if element.WhichOneof("type") == kind:
                control = getattr(element, kind)
                if control.label.startswith(label):
                    return fragment, control
        raise LookupError(f"no {kind} {label}")

    def says(self, text):
        """Tell whether a text is on the page."""
        texts = (element.SerializeToString() for _, element in self.elements.values())
        return any(text.encode() in one for one in texts)

    def write(self, label, text):
        """Type into a field of a form."""
        for kind in ("text_input", "text_area"):
            with suppress(LookupError):
                self.values[self.control(kind, label)[1].id] = "string_value", text

    def press(self, label):
        fragment, button = self.control("button", label)
        self.values[button.id] = "trigger_value", True
        self.run(fragment)

    def slide(self, label, *values):
        fragment, slider = self.control("slider", label)
        self.values[slider.id] = "double_array_value", values
        self.run(fragment)

    def upload(self, name, data, seconds=600):
        """Open the dialog and give it a file; return the status of its way to the server."""
        self.press("Use my own table")
        fragment, uploader = self.control("file_uploader")
        message = BackMsg()
        message.file_urls_request.request_id = uuid4().hex
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        self.socket.send(message.SerializeToString())
        while (answer := self.receive()).WhichOneof("type") != "file_urls_response":
            pass
        [place] = answer.file_urls_response.file_urls
        status = self.put(place.upload_url, name, data)
        if status == 204:
            facts = {"name": name, "size": len(data), "file_id": place.file_id}
            state = UploadedFileInfo(**facts, file_urls=place)
            self.values[uploader.id] = "file_uploader_state_value", state
            self.run(fragment, seconds)
        return status

    def put(self, path, name, data):
        """Send a file as a form of one part."""
        cookie = ask(self.address, path="/_stcore/health", source=self.source)[1]["Set-Cookie"]
        token = cookie.split(";")[0]
        head = f'--x\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\n\r\n'
        body = [head.encode(), data, b"\r\n--x--\r\n"]
        headers = {
            "Content-Type": "multipart/form-data; boundary=x",
            "Content-Length": str(sum(map(len, body))),
            "Cookie": token,
            "X-Xsrftoken": token.partition("=")[2],
        }
        self.answer = ask(self.address, "PUT", f"/{path.lstrip('/')}", self.source, body, **headers)
        return self.answer[0]
