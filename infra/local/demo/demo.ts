/** The demo of a new stage: signs in, creates an organization, backs up, verifies and restores, schedules, and prints calls to try. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openClient } from '../../../shared/client/index.ts';
import { demoBucket } from '../boot/local-config.ts';
import { demoEmails } from '../engines/identity/people.ts';
import { type DemoBackup, type DemoOutput, type DemoStage, takeDemoBackup, verifyDemoBackup } from './demo-backup.ts';
import { demoSource, writeDemoDocuments } from './demo-documents.ts';
import { type DemoRestore, demoTarget, restoreDemoBackup } from './demo-restore.ts';
import { scheduleDemoBackups } from './demo-schedules.ts';
import { signIn } from './sign-in.ts';

const demoKind = 'demo';

/** Enough to show progress, few enough to finish within seconds. */
const documentCount = 2_000;

/** A failing demo is reported and does not stop the stage. */
export const runDemo = async (stage: DemoStage, dir: string): Promise<void> => {
  try {
    const [email = ''] = demoEmails;
    onConsole.line(`signing in as ${email}`);
    const [{ token, organizationId }] = await Promise.all([
      enter(stage, email),
      once(stage, 'documents', async () => {
        await writeDemoDocuments(stage.firestore.address, documentCount);
        onConsole.line(`wrote ${documentCount} documents to the Firestore project ${demoSource}`);
        return documentCount;
      }),
    ]);
    const client = openClient({ baseUrl: stage.url, token, organizationId });
    const backup = await once(stage, 'backup', () => takeDemoBackup(client, onConsole));
    const [restored] = await Promise.all([
      once(stage, 'restore', () => restoreDemoBackup(client, backup, onConsole)),
      once(stage, 'verification', () => verifyDemoBackup(client, backup, onConsole)),
    ]);
    await once(stage, 'schedules', () => scheduleDemoBackups(client, { backup, restored, output: onConsole }));
    const tokenFile = join(dir, 'demo', 'token');
    mkdirSync(join(dir, 'demo'), { recursive: true });
    writeFileSync(tokenFile, token, { mode: 0o600 });
    console.log(introduction({ stage, email, organizationId, backup, restored, tokenFile: shortest(tokenFile) }));
  } catch (error) {
    console.error(`the demo failed: ${(error as Error).message}`);
  }
};

/** Signs in, and creates an organization at the first time. */
const enter = async (stage: DemoStage, email: string): Promise<{ readonly token: string; readonly organizationId: string }> => {
  const { accessToken: token } = await signIn(stage.url, email);
  const organizationId = await once(stage, 'organization', async () => {
    const anywhere = openClient({ baseUrl: stage.url, token });
    return (await anywhere.request('POST /organizations', { body: { name: 'Analytical Engines' } })).id;
  });
  return { token, organizationId };
};

/** Runs a step once per stage folder and stores its result; later starts read it. */
const once = async <T>(stage: DemoStage, name: string, make: () => Promise<T>): Promise<T> => {
  const known = stage.state.get<T>(demoKind, name);
  if (known) return known;
  const result = await make();
  stage.state.set(demoKind, name, result);
  return result;
};

/** Only a terminal shows the bar; a file or a pipe gets the lines. */
const onConsole: DemoOutput = {
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
  ${url}/console          console: open it and sign in as ${email}

  ${url}/docs             API reference
  ${url}/_local/outbox    e-mails the service sent
  ${identityUrl}                  identity provider (sign in as anyone)
  ${firestore.address}                  Firestore (FIRESTORE_EMULATOR_HOST)

${email} is signed in for one hour and owns the organization Analytical Engines. Try:

  export BMS_URL=${url} BMS_TOKEN=$(cat ${tokenFile}) BMS_ORGANIZATION=${organizationId}

  npx bms status
  npx bms backup show ${backup.backupId}
  npx bms backup cat ${backup.backupId} users/u1
  npx bms backup diff ${backup.backupId} live
  npx bms restore show ${restored.restoreJobId}
  npx bms restore ${backup.backupId} --collections users --plan

The backup is stored in the bucket ${demoBucket} under ${backup.path}. The restored documents are in the project ${demoTarget}.
The console shows this backup at ${url}/console/backups/${backup.backupId}
Ctrl-C stops the stage and keeps its state.
`;
