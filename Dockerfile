# syntax=docker/dockerfile:1
# The served dashboard; docs/serving.md says how it is run.

FROM python:3.11-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
COPY requirements-lock.txt /tmp/
RUN /opt/venv/bin/python -m pip install --only-binary :all: --require-hashes -r /tmp/requirements-lock.txt
WORKDIR /opt/distpriv
COPY .streamlit .streamlit
COPY data data
COPY distpriv distpriv
COPY pages pages
COPY deploy/start.py deploy/start.py
COPY app.py LICENSE ./
# The tree is read-only when it runs, so bytecode is made here; pip is for building only.
RUN /opt/venv/bin/python -m pip uninstall --yes pip setuptools \
    && /opt/venv/bin/python -m compileall -q -j 0 /opt/venv/lib /opt/distpriv \
    && install -d -m 0700 /data

FROM python:3.11-slim-bookworm
COPY --from=build /opt /opt
COPY --from=build --chown=10001:10001 /data /data
ENV PATH=/opt/venv/bin:$PATH \
    HOME=/tmp \
    XDG_DATA_HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_BROWSER_SERVER_ADDRESS=localhost
WORKDIR /opt/distpriv
USER 10001:10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "deploy/start.py", "--healthy"]
ENTRYPOINT ["python", "deploy/start.py"]
CMD ["python", "-m", "streamlit", "run", "app.py"]
