# What the GitHub action and the GitLab component run. BMS_COMMAND is backup, verify or restore; results go to the outputs of the step.
set -euo pipefail
results=${GITHUB_OUTPUT:-$PWD/bms.env}
cd "$(mktemp -d)"
summarize() { if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then echo "$1" >> "$GITHUB_STEP_SUMMARY"; else echo "$1"; fi; }

# The service serves its own command line. It gets the API key only if it is the file that the digest names.
get='const { writeFileSync } = require("node:fs");
const fail = (error) => { console.error(String(error)); process.exit(1); };
fetch(process.argv[1]).then((answer) => answer.ok ? answer.arrayBuffer() : fail(`${answer.url}: ${answer.status}`)).then((bytes) => writeFileSync("bms.mjs", Buffer.from(bytes)), fail);'
node -e "$get" "${BMS_URL%/}/console/bms.mjs" || { sleep 2; node -e "$get" "${BMS_URL%/}/console/bms.mjs"; }
echo "$BMS_SHA256  bms.mjs" | sha256sum --check --strict || {
  echo "bms.mjs is not the file that the digest names: after an upgrade of the service, use the action of its release, or set sha256" >&2
  exit 1
}
node bms.mjs --version

case $BMS_COMMAND in
  backup)
    backup=$(node bms.mjs backup create --project "$BMS_PROJECT" --wait --quiet)
    echo "backup=$backup" >> "$results"
    summarize "Backup of $BMS_PROJECT: \`$backup\`. To go back: \`bms restore $backup\`"
    ;;
  verify)
    node bms.mjs backup verify "$BMS_BACKUP" --project "$BMS_PROJECT" --depth full --wait
    summarize "Verified every byte of the backup \`$BMS_BACKUP\` of $BMS_PROJECT"
    ;;
  restore)
    source=$(node bms.mjs projects show "$BMS_PROJECT" --quiet)
    preview=$(node bms.mjs projects show "${BMS_PREVIEW_PROJECT:?names the project to restore into}" --quiet)
    if [ "$source" = "$preview" ]; then
      echo "the preview project is the source project itself" >&2
      exit 1
    fi
    # Rollback also deletes documents of the preview project that the backup does not have.
    restore=$(node bms.mjs restore create "$BMS_BACKUP" --project "$BMS_PROJECT" --into "$BMS_PREVIEW_PROJECT" \
      --mode rollback --no-users --yes --wait --quiet)
    echo "restore=$restore" >> "$results"
    summarize "Restored into $BMS_PREVIEW_PROJECT: \`$restore\`. To go back: \`bms undo $restore\`"
    ;;
  *)
    echo "command is $BMS_COMMAND; it must be backup, verify or restore" >&2
    exit 2
    ;;
esac
