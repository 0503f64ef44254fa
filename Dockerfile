# Build: packages go into a virtual environment, which alone is copied on.
FROM python:3.12-slim AS build
RUN python -m venv /opt/venv
COPY requirements.txt .
RUN /opt/venv/bin/pip install --no-cache-dir -r requirements.txt

FROM python:3.12-slim
RUN useradd --create-home explorer
WORKDIR /app
COPY --from=build /opt/venv /opt/venv
COPY app.py ./
COPY .streamlit .streamlit
COPY core core
COPY pages pages
COPY ui ui
USER explorer
# One thread for BLAS: these matrices are small, and many readers share the cores.
ENV PATH=/opt/venv/bin:$PATH OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501", "--server.headless=true", "--server.fileWatcherType=none"]
