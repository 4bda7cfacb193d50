# The dashboard on a server; compose.yaml sets a proxy and a database beside it (docs/serving.md).
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements.txt requirements-served.txt ./
# Streamlit takes a folder of another name for a developer's copy.
ARG PLACE=/app/site-packages
RUN pip install --no-cache-dir --no-compile --target "$PLACE" --require-hashes --only-binary :all: \
    -r requirements.txt -r requirements-served.txt
COPY . .
RUN pip install --no-cache-dir --no-compile --target "$PLACE" --no-deps . \
    && python -m compileall -q -j 0 --invalidation-mode unchecked-hash "$PLACE"

FROM python:3.13-slim
# Nothing is installed later, so that what installs may go.
RUN pip uninstall -y -q pip && useradd --uid 10001 --no-create-home --home-dir /tmp distpriv
COPY --from=build /app /app
ENV PYTHONPATH=/app/site-packages PYTHONDONTWRITEBYTECODE=1 HOME=/tmp OPENBLAS_NUM_THREADS=1
USER 10001
WORKDIR /tmp
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "/app/site-packages/distpriv/dashboard/app.py", \
    "--server.address=0.0.0.0", "--server.port=8501", "--server.headless=true"]
