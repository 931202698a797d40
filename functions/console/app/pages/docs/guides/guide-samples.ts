/** The samples of all guides that a shell or a program runs. A test runs each of them against a stage. */
import type { CodeSample } from '../code/code-sample.ts';

const pair = (curl: string, client: string): readonly CodeSample[] => [
  { label: 'curl', language: 'sh', code: curl },
  { label: 'Client', language: 'ts', code: client },
];

export const keyVariables = (origin: string, organization: string): readonly CodeSample[] =>
  pair(
    `export BASE=${origin}
export TOKEN=fb_key_…         # the API key
export ORGANIZATION=${organization}`,
    `import { openClient } from './shared/client/index.ts';

const client = openClient({
  baseUrl: '${origin}',
  apiKey: process.env.TOKEN,
  organizationId: '${organization}',
});`,
  );

export const firstCall: readonly CodeSample[] = pair(
  `curl "$BASE/api/v1/organizations/current" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "X-Organization-Id: $ORGANIZATION"`,
  `const { name } = await client.request('GET /organizations/current');`,
);

export const firstBackup: readonly CodeSample[] = pair(
  `curl "$BASE/api/v1/storage-destinations" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "X-Organization-Id: $ORGANIZATION" \\
  -H "Content-Type: application/json" \\
  -d '{
  "name": "Backups",
  "type": "s3",
  "bucket": "my-bucket",
  "region": "eu-central-1",
  "credentials": { "accessKeyId": "AKIA…", "secretAccessKey": "…" }
}'

curl "$BASE/api/v1/projects" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "X-Organization-Id: $ORGANIZATION" \\
  -H "Content-Type: application/json" \\
  -d '{
  "name": "Shop",
  "sourceProjectId": "my-project",
  "credentials": {
    "clientEmail": "backups@my-project.iam.gserviceaccount.com",
    "privateKey": "-----BEGIN PRIVATE KEY-----\\n…\\n-----END PRIVATE KEY-----\\n"
  }
}'

# With the ids of the two answers:
curl "$BASE/api/v1/backups" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "X-Organization-Id: $ORGANIZATION" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -H "Content-Type: application/json" \\
  -d '{ "projectId": "prj_…", "storageDestinationId": "dst_…" }'`,
  `const storage = await client.request('POST /storage-destinations', {
  body: {
    name: 'Backups',
    type: 's3',
    bucket: 'my-bucket',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIA…', secretAccessKey: '…' },
  },
});
const project = await client.request('POST /projects', {
  body: {
    name: 'Shop',
    sourceProjectId: 'my-project',
    credentials: {
      clientEmail: 'backups@my-project.iam.gserviceaccount.com',
      privateKey: '-----BEGIN PRIVATE KEY-----\\n…\\n-----END PRIVATE KEY-----\\n',
    },
  },
});
const started = await client.request('POST /backups', {
  body: { projectId: project.id, storageDestinationId: storage.id },
});`,
);

export const waitForBackup: readonly CodeSample[] = pair(
  `until curl -s "$BASE/api/v1/backups/$BACKUP_ID" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "X-Organization-Id: $ORGANIZATION" | grep -E '"status":"(completed|failed|cancelled)"'
do sleep 2; done`,
  `const backup = await client.waitFor('backup', started.id, {
  onProgress: ({ progress }) => console.log(progress.percent),
});
console.log(backup.status);`,
);

export const exchangeCode = (origin: string): readonly CodeSample[] => [
  {
    label: 'curl',
    language: 'sh',
    code: `curl "${origin}/api/v1/auth/token" \\
  -H "Content-Type: application/json" \\
  -d '{ "grant_type": "authorization_code", "code": "…", "code_verifier": "…" }'

# Later, with the refresh token of the answer:
curl "${origin}/api/v1/auth/refresh" \\
  -H "Content-Type: application/json" \\
  -d '{ "refreshToken": "…" }'`,
  },
];

export const repeatSafely: readonly CodeSample[] = [
  {
    label: 'curl',
    language: 'sh',
    code: `key=$(uuidgen)
# Twice the same backup, one job:
for attempt in 1 2; do
  curl -i "$BASE/api/v1/backups" \\
    -H "Authorization: Bearer $TOKEN" \\
    -H "X-Organization-Id: $ORGANIZATION" \\
    -H "Idempotency-Key: $key" \\
    -H "Content-Type: application/json" \\
    -d '{ "projectId": "prj_…", "storageDestinationId": "dst_…" }'
done   # the second answer has Idempotent-Replayed: true`,
  },
];

export const readAllPages: readonly CodeSample[] = pair(
  `cursor=
until
  page=$(curl -s "$BASE/api/v1/backups?limit=100$cursor" \\
    -H "Authorization: Bearer $TOKEN" \\
    -H "X-Organization-Id: $ORGANIZATION")
  echo "$page"
  next=$(echo "$page" | grep -o '"nextCursor":"[^"]*"' | cut -d '"' -f 4)
  [ -z "$next" ]
do cursor="&cursor=$next"; done`,
  `for await (const { id, status } of client.list('GET /backups', { query: { limit: 100 } })) {
  console.log(id, status);
}`,
);
