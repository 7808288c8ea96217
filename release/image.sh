#!/usr/bin/env bash
# image.sh DIST VERSION: one image per Linux binary in DIST, from an empty base, joined into one manifest.
# $TOWPATH_IMAGE names it (default: localhost/towpath, kept here); with TOWPATH_PUSH=1 it is also pushed, and its
# digest is left in DIST/image-digest for sign.sh.
set -euo pipefail
dist=${1:?folder of the binaries} version=${2:?version}
image=${TOWPATH_IMAGE:-localhost/towpath}:$version

buildah manifest rm "$image" >/dev/null 2>&1 || true
buildah manifest create "$image" >/dev/null
count=0
for arch in amd64 arm64; do
  binary=$dist/towpath-linux-$arch
  if [ ! -f "$binary" ]; then
    echo "skipped linux/$arch: $binary is not there (cargo xtask release build)"
    continue
  fi
  container=$(buildah from --arch "$arch" scratch)
  buildah copy --quiet --chmod 0755 "$container" "$binary" /towpath >/dev/null
  # Roots for public registries and Git hosts; a cluster brings its own certificate authority.
  for roots in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; do
    [ -f "$roots" ] && buildah copy --quiet "$container" "$roots" /etc/ssl/certs/ca-certificates.crt >/dev/null && break
  done
  # A number, not a name: Kubernetes can then see that it is not root. No shell, no package manager inside.
  buildah config --arch "$arch" --os linux --user 65532:65532 --entrypoint '["/towpath"]' --cmd '' \
    --label org.opencontainers.image.title=towpath \
    --label org.opencontainers.image.version="$version" \
    --label org.opencontainers.image.licenses=Apache-2.0 "$container"
  buildah commit --quiet --rm --timestamp "${SOURCE_DATE_EPOCH:-0}" --manifest "$image" "$container" >/dev/null
  count=$((count + 1))
done

if [ "$count" -eq 0 ]; then
  buildah manifest rm "$image" >/dev/null
  echo "no image: there is no Linux binary in $dist"
  exit 0
fi
echo "$image: $count architectures"
if [ "${TOWPATH_PUSH:-}" = 1 ]; then
  buildah manifest push --all --digestfile "$dist/image-digest" "$image" "docker://$image"
  echo "pushed $(cat "$dist/image-digest")"
else
  echo "not pushed: set TOWPATH_IMAGE to its name in a registry and TOWPATH_PUSH=1"
fi
