#!/usr/bin/env bash
# sign.sh DIST VERSION: signs DIST/SHA256SUMS, which covers every file, and the pushed image by its digest.
# COSIGN_KEY names a key (file or key service). Without it signing is keyless, which needs an identity that CI
# provides; TOWPATH_KEYLESS=1 says that it is there.
set -euo pipefail
dist=${1:?folder of the release} version=${2:?version}

if [ -n "${COSIGN_KEY:-}" ]; then
  how=(--key "$COSIGN_KEY")
elif [ "${TOWPATH_KEYLESS:-}" = 1 ]; then
  how=()
else
  echo "skipped signatures: set COSIGN_KEY, or TOWPATH_KEYLESS=1 where CI provides an identity"
  exit 0
fi

if [ -f "$dist/SHA256SUMS" ]; then
  cosign sign-blob --yes "${how[@]}" --bundle "$dist/SHA256SUMS.sigstore.json" "$dist/SHA256SUMS" >/dev/null
  echo "signed $dist/SHA256SUMS"
else
  echo "skipped the checksums: run cargo xtask release build first"
fi

if [ -f "$dist/image-digest" ] && [ -n "${TOWPATH_IMAGE:-}" ]; then
  image=$TOWPATH_IMAGE@$(cat "$dist/image-digest")
  cosign sign --yes "${how[@]}" "$image"
  cosign attest --yes "${how[@]}" --type cyclonedx --predicate "$dist/towpath.cdx.json" "$image"
  echo "signed $image and attached the bill of materials of $version"
else
  echo "skipped the image: it was not pushed"
fi
