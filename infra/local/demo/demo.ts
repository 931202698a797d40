/** The first minutes with a stage: someone signed in, an organization, a backup taken, proven and restored, and the calls to try. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { demoBucket } from '../boot/local-config.ts';
import { demoEmails } from '../engines/identity/people.ts';
import { type DemoBackup, type DemoStage, type Say, takeDemoBackup } from './demo-backup.ts';
import { type DemoClient, demoClient } from './demo-client.ts';
import { type DemoRestore, demoTarget, restoreDemoBackup } from './demo-restore.ts';
import { signIn } from './sign-in.ts';

const demoKind = 'demo';

/** Never fails the stage: what it cannot show it says. */
export const runDemo = async (stage: DemoStage, dir: string): Promise<void> => {
  try {
    const [email = ''] = demoEmails;
    const { accessToken } = await signIn(stage.url, email);
    const organizationId = await once(stage, 'organization', async () => {
      const made = await demoClient(stage.url, accessToken).call<{ id: string }>('POST', '/organizations', {
        name: 'Analytical Engines',
      });
      return made.id;
    });
    const client: DemoClient = demoClient(stage.url, accessToken, organizationId);
    const backup = await once(stage, 'backup', () => takeDemoBackup(stage, client, onConsole));
    const restored = await once(stage, 'restore', () => restoreDemoBackup(client, backup, onConsole));
    const tokenFile = join(dir, 'demo', 'token');
    mkdirSync(join(dir, 'demo'), { recursive: true });
    writeFileSync(tokenFile, accessToken, { mode: 0o600 });
    console.log(introduction({ stage, email, organizationId, backup, restored, tokenFile: shortest(tokenFile) }));
  } catch (error) {
    console.error(`the demo could not be prepared: ${(error as Error).message}`);
  }
};

/** Made once; later starts find it. */
const once = async <T>(stage: DemoStage, name: string, make: () => Promise<T>): Promise<T> => {
  const known = stage.state.get<T>(demoKind, name);
  if (known) return known;
  const made = await make();
  stage.state.set(demoKind, name, made);
  return made;
};

/** A terminal sees the bar grow; a file or a pipe gets lines only. */
const onConsole: Say = {
  line: (text) => console.log(`${process.stdout.isTTY ? '\r\x1b[K' : ''}         ${text}`),
  bar: (text) => {
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K         ${text}`);
  },
};

const shortest = (path: string): string => {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
};

interface Shown {
  readonly stage: DemoStage;
  readonly email: string;
  readonly organizationId: string;
  readonly backup: DemoBackup;
  readonly restored: DemoRestore;
  readonly tokenFile: string;
}

const introduction = ({ stage: { url, identityUrl, firestore }, email, organizationId, backup, restored, tokenFile }: Shown) => `
  ${url}/docs             the API, described
  ${url}/_local/outbox    the mails it sent
  ${identityUrl}                  the identity provider: sign in as anyone
  ${firestore.address}                  Firestore (FIRESTORE_EMULATOR_HOST)

${email} is signed in for an hour and owns the organization Analytical Engines. Try:

  api=${url}/api/v1; token=$(cat ${tokenFile}); org=${organizationId}
  call() { curl -s -H "authorization: Bearer $token" -H "x-organization-id: $org" -H "content-type: application/json" "$@"; echo; }

  call $api/backups/${backup.backupId}
  call "$api/backups/${backup.backupId}/documents?path=users/u1"
  call "$api/backups/${backup.backupId}/diff?against=live"
  call $api/backups/restore/${restored.restoreJobId}
  call $api/backups/restore -d '{"backupId":"${backup.backupId}","collections":["users"],"options":{"dryRun":true}}'

The backup's objects are in the bucket ${demoBucket}, below ${backup.path}; what was restored is in the project ${demoTarget}.
To sign in as someone else, in a browser: ${url}/api/v1/auth/google
Ctrl-C stops everything; the state stays.
`;
