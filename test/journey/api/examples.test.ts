/** Every request example of the served OpenAPI document succeeds, in an order in which a new organization would be set up. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import type { Schema } from '../../../shared/contract/openapi/json-schema.ts';
import type { Document } from '../../../shared/contract/openapi/openapi-document.ts';
import { sampleOf } from '../../../shared/docs/sample.ts';
import { endOf, newBucket, newProject, seed } from '../../harness/stage/backup.ts';
import { consoleHeaders, newCode } from '../../harness/stage/browser.ts';
import { api, call, type Result } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { signIn } from '../../harness/stage/person.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { endOfRestore } from '../../harness/stage/restore.ts';
import { endOfTestRun, followTestRun } from '../../harness/stage/restore-test.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const document = JSON.parse((await api('GET', '/api/v1/openapi.json')).text) as Document;
const resolve = (ref: string): Schema =>
  ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as Schema;

const withBody = endpoints.filter(({ body }) => body);
const byId = new Map<string, Endpoint>(endpoints.map((endpoint) => [endpoint.id, endpoint]));

/** The example as a reader of the document sees it. */
const exampleOf = ({ path, method }: Endpoint): unknown => {
  const { requestBody } = document.paths[path]![method.toLowerCase()]!;
  return sampleOf(requestBody!.content['application/json']!.schema, resolve);
};

const placeholder = '01JZ8Q4V0M6T3X9C2B7N5K1HRD';

test('OpenAPI document: every request example succeeds', async () => {
  const [ada, grace] = [await signIn(), await signIn('grace@example.com')];
  /** Existing ids by prefix, which replace those of the examples. */
  const ids: Record<string, string> = {};
  const words: Record<string, string> = {};
  const sent = new Set<string>();
  const inConsole = { headers: await consoleHeaders(ada.email) };
  let person = ada;
  let org: string | undefined;

  const send = async (id: string, params: Record<string, string> = {}) => {
    const endpoint = byId.get(id)!;
    const text = JSON.stringify(exampleOf(endpoint)).replaceAll(
      new RegExp(`([a-z]+)_${placeholder}`, 'g'),
      (whole, prefix: string) => ids[prefix] ?? whole,
    );
    const body = Object.entries(words).reduce((from, [word, instead]) => from.replaceAll(word, instead), text);
    const ask = (): Promise<Result<unknown>> =>
      call(endpoint, { ...(endpoint.access === 'browser' ? inConsole : { token: person.accessToken }), org, params, body });
    let result = await ask();
    // A job that was cancelled, or has just ended, holds its project for another moment.
    for (let tries = 0; result.body.error?.code === 'JOB_IN_PROGRESS' && tries < 300; tries++) {
      await pause(200);
      result = await ask();
    }
    ok(result.status >= 200 && result.status < 300, `${id} ${body}: ${result.status} ${result.text}`);
    sent.add(id);
    return result.body.data as Record<string, string>;
  };
  const organization = () => ({ id: org!, name: 'Example', slug: '', owner: ada });

  words['the code from the redirect'] = await newCode();
  await send('auth.token');
  words['the refresh token'] = (await signIn()).refreshToken;
  await send('auth.refresh');

  const { deviceCode, userCode } = await send('device.start');
  words['the device code'] = deviceCode!;
  words['WDJB-MJHT'] = userCode!;
  await send('device.decide');
  await send('device.token');

  ids.org = org = (await send('organizations.create')).id!;
  await send('organizations.update');
  await send('encryption.set');
  await send('encryption.rotate');

  const bucket = await newBucket();
  words['web-shop-backups'] = bucket;
  words['web-shop-production'] = `source-${randomUUID().slice(0, 8)}`;
  const storageId = (await send('storageDestinations.create')).id!;
  ids.dst = storageId;
  await send('storageDestinations.test', { storageId });
  await send('storageDestinations.update', { storageId });

  const projectId = (await send('projects.create')).id!;
  ids.prj = projectId;
  await send('projects.update', { projectId });
  await send('projects.reconnect', { projectId });
  const documents = Array.from({ length: 40 }, (_, n) => [`orders/${n}`, { total: { integerValue: String(n) } }]);
  await seed(words['web-shop-production'], Object.fromEntries(documents));

  const backupId = (await send('backups.create')).id!;
  ids.bkp = backupId;
  await endOf(organization(), backupId);
  await send('backups.verify', { backupId });
  // Marked by hand: the service judges a backup only after three others.
  const key = { pk: `ORG#${org}`, sk: `BACKUP#${backupId}` };
  const unusual = {
    detectedAt: new Date().toISOString(),
    source: 'backup',
    findings: [],
    comparedWith: null,
    keptBackupId: null,
  };
  const anomaly = { ...unusual, before: null, acknowledgedAt: null, acknowledgedBy: null, note: null };
  await putItem({ ...(await getItem(key)), ...key, anomaly, anomalyState: 'open' });
  await send('backups.acknowledge', { backupId });
  // What is cancelled must not end before.
  const holdUp = (fault: object) => addFault({ project: words['web-shop-production']!, times: 1_000, ...fault });
  const slow = { delayMs: 2_000 };
  let goOn = await holdUp(slow);
  const cancelled = (await send('backups.create')).id!;
  await send('backups.cancel', { backupId: cancelled });
  await goOn();
  await endOf(organization(), cancelled);
  await send('backupContents.register');

  await send('restores.create');
  // The example is a dry run; the other operations need a job.
  words['"dryRun":true'] = '"dryRun":false';
  await seed(words['web-shop-production'], { 'orders/7': { total: { integerValue: '700' } } });
  goOn = await holdUp({ method: 'BatchWrite', status: 'UNAVAILABLE', delayMs: 500 });
  const started = await send('restores.create');
  const restoreJobId = started.restoreJobId!;
  await send('restores.cancel', { restoreJobId });
  await goOn();
  await endOfRestore(organization(), restoreJobId);
  await send('restores.resume', { restoreJobId });
  await endOfRestore(organization(), restoreJobId);
  const undoing = await send('restores.undo', { restoreJobId });
  await endOfRestore(organization(), undoing.restoreJobId!);

  const scheduleId = (await send('schedules.create')).id!;
  await send('schedules.update', { scheduleId });
  const triggered = await send('schedules.trigger', { scheduleId });
  await endOf(organization(), triggered.id!);

  await send('erasures.create', { projectId });
  const restoreTestId = (await send('restoreTests.create')).id!;
  await send('restoreTests.update', { restoreTestId });
  await send('restoreTests.replace', { restoreTestId });
  goOn = await holdUp(slow);
  const { runId } = await send('restoreTests.run', { restoreTestId });
  await send('restoreTests.cancelRun', { runId: runId! });
  await goOn();
  await endOfTestRun(organization(), runId!);
  // The result of a check is accepted while the run waits for it.
  const receiver = await startReceiver();
  receiver.answer('/check', { status: 202 });
  const by = { token: person.accessToken, org };
  const target = { projectId: (await newProject(organization())).id };
  const plan = { name: 'Checked', projectId, cron: '@yearly', target, check: { url: receiver.url('/check') } };
  const checked = (await call(restoreTests.create, { ...by, body: plan })).body.data.id;
  const waiting = (await call(restoreTests.run, { ...by, params: { restoreTestId: checked } })).body.data.runId;
  await followTestRun(organization(), waiting, ({ check }) => check?.status === 'waiting');
  await send('restoreTests.answerCheck', { runId: waiting });
  equal((await endOfTestRun(organization(), waiting)).status, 'passed');
  await receiver.stop();

  const webhookId = (await send('webhooks.create')).id!;
  const { deliveryId } = await send('webhooks.test', { webhookId });
  await send('webhooks.retry', { webhookId, deliveryId: deliveryId! });
  for (const operation of ['rotateSecret', 'replay', 'replace', 'update', 'toggle'])
    await send(`webhooks.${operation}`, { webhookId });

  words['https://hooks.slack.com'] = 'https://localhost:9';
  const alertId = (await send('alerts.create')).id!;
  await send('alerts.update', { alertId });
  const tested = await send('alerts.test', { alertId });
  await send('alerts.retry', { alertId, deliveryId: tested.deliveryId! });

  await send('serviceAccount.create');
  await send('serviceAccount.update');
  await send('serviceAccount.rotateKey');

  const declined = await send('invites.create');
  person = grace;
  await send('invitations.decline', { token: declined.acceptUrl!.split('/').at(-1)! });
  person = ada;
  const { id: inviteId } = await send('invites.create');
  const { acceptUrl } = await send('invites.resend', { inviteId: inviteId! });
  person = grace;
  await send('invitations.accept', { token: acceptUrl!.split('/').at(-1)! });
  person = ada;
  await send('members.update', { userId: grace.userId });
  person = grace;
  await send('serviceAccount.takeOver');
  await send('organizations.leave');
  person = ada;

  await send('pitr.enable', { projectId });
  await send('pitr.update', { projectId });
  await send('organizations.remove');
  await send('organizations.recover', { id: org });
  await send('sessions.revokeAll');
  await send('auth.logout');
  deepEqual(
    withBody.map(({ id }) => id).filter((id) => !sent.has(id)),
    [],
  );
});
