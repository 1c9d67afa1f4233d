# The command line with the console and the API. See docs/deploying.md, "In a container".
FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack

FROM node:24-slim
# Chromium draws the pages that need scripts. Without it, --render has no browser: --build-arg BROWSER=
ARG BROWSER=chromium
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates procps ${BROWSER} \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/orbweaver-*.tgz /tmp/
RUN npm install --global /tmp/orbweaver-*.tgz && rm /tmp/orbweaver-*.tgz
RUN mkdir /data && chown node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8787
ENTRYPOINT ["orbweaver"]
CMD ["serve", "--host", "0.0.0.0"]
