/** Every example of the API docs succeeds as it is shown there, in an order in which a new organization would be set up and ended. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { test } from 'vitest';
import type { CodeSample } from '../../../functions/console/app/pages/docs/code/code-sample.ts';
import * as guideSamples from '../../../functions/console/app/pages/docs/guides/guide-samples.ts';
import { readReference } from '../../../functions/console/app/pages/docs/model/read-reference.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import type { Document } from '../../../shared/contract/openapi/openapi-document.ts';
import { curlOf, variableOf } from '../../../shared/docs/curl.ts';
import { endOf, newBucket, newProject, seed } from '../../harness/stage/backup.ts';
import { consoleHeaders, newCode } from '../../harness/stage/browser.ts';
import { startOutage } from '../../harness/stage/bucket.ts';
import { api, call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { endOfExport } from '../../harness/stage/export.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { putIncident } from '../../harness/stage/incident.ts';
import { newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { signIn } from '../../harness/stage/person.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { endOfRestore } from '../../harness/stage/restore.ts';
import { endOfTestRun, followTestRun } from '../../harness/stage/restore-test.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const { exchangeCode, firstBackup, firstCall, keyVariables, readAllPages, repeatSafely, waitForBackup } = guideSamples;
const document = JSON.parse((await api('GET', '/api/v1/openapi.json')).text) as Document;
const reference = readReference(document);
const documented = new Map(reference.endpoints.map((endpoint) => [endpoint.id, endpoint]));
const byId = new Map<string, Endpoint>(endpoints.map((endpoint) => [endpoint.id, endpoint]));

const run = promisify(execFile);
/** Not every system has it. */
const uuidgen = 'uuidgen() { cat /proc/sys/kernel/random/uuid; }';
const shell = async (code: string, variables: Readonly<Record<string, string>>): Promise<string> => {
  const env = { PATH: process.env.PATH ?? '', BASE: stageUrl(), ...variables };
  return (await run('bash', ['-c', `${uuidgen}\n${code}`], { env, maxBuffer: 64_000_000 })).stdout;
};

/** The command as a reader of the docs sees it. */
const commandOf = (id: string): string => {
  const { method, path, operation, parameters } = documented.get(id)!;
  return curlOf({ method: method.toLowerCase(), path, operation }, parameters, reference.resolve);
};

/** What the docs say of a success. */
const statusesOf = ({ path, method }: Endpoint): readonly number[] =>
  Object.keys(document.paths[path]![method.toLowerCase()]!.responses)
    .map(Number)
    .filter((status) => status < 400 || (path === '/health' && status === 503));

const placeholder = '01JZ8Q4V0M6T3X9C2B7N5K1HRD';

// 150 calls and a dozen jobs, one after the other.
test('API docs: every example succeeds with a status that the docs state', { timeout: 600_000 }, async () => {
  const [ada, grace] = [await signIn(), await signIn('grace@example.com')];
  /** Existing ids by prefix, which replace those of the examples. */
  const ids: Record<string, string> = {};
  const words: Record<string, string> = {};
  const sent = new Set<string>();
  const { cookie } = await consoleHeaders(ada.email);
  let person = ada;
  let org: string | undefined;

  const send = async (id: string, params: Record<string, string> = {}) => {
    const withIds = commandOf(id).replaceAll(
      new RegExp(`([a-z]+)_${placeholder}`, 'g'),
      (whole, prefix: string) => ids[prefix] ?? whole,
    );
    const command = Object.entries(words).reduce((from, [word, instead]) => from.replaceAll(word, instead), withIds);
    const variables = {
      ...{ TOKEN: person.accessToken, ORGANIZATION: org ?? '', COOKIE: cookie },
      ...Object.fromEntries(Object.entries(params).map(([name, value]) => [variableOf(name), value])),
    };
    const ask = async () => {
      const output = await shell(`${command} -sS -w '\\n%{http_code}'`, variables);
      const end = output.lastIndexOf('\n');
      return { text: output.slice(0, end), status: Number(output.slice(end + 1)) };
    };
    let result = await ask();
    // A job that was cancelled, or has just ended, holds its project for another moment; a busy machine answers 503.
    const isTooEarly = (): boolean =>
      (result.status === 503 && id !== 'system.health') ||
      // The OpenAPI document has the words, too.
      (result.status === 409 && result.text.includes('"JOB_IN_PROGRESS"'));
    for (let tries = 0; isTooEarly() && tries < 300; tries++) {
      await pause(200);
      result = await ask();
    }
    ok(statusesOf(byId.get(id)!).includes(result.status), `${command}: ${result.status} ${result.text}`);
    sent.add(id);
    const isJson = result.text.startsWith('{');
    return (isJson ? JSON.parse(result.text).data : {}) as Record<string, string>;
  };
  const sendAll = async (list: string, params: Record<string, string> = {}) => {
    for (const id of list.split(' ')) await send(id, params);
  };
  const organization = () => ({ id: org!, name: 'Example', slug: '', owner: ada });

  await sendAll('system.health system.jwks evidence.keys description.openapi description.docs console.serve');
  await sendAll('auth.google auth.me organizations.list');
  words['the code from the redirect'] = await newCode();
  await send('auth.token');
  words['the refresh token'] = (await signIn()).refreshToken;
  await send('auth.refresh');

  const { deviceCode, userCode } = await send('device.start');
  words['the device code'] = deviceCode!;
  words['WDJB-MJHT'] = userCode!;
  await send('device.show');
  await send('device.decide');
  await send('device.token');

  ids.org = org = (await send('organizations.create')).id!;
  await send('organizations.update');
  await sendAll('organizations.current members.list encryption.get overview.get');
  await send('encryption.set');
  await send('encryption.rotate');

  const bucket = await newBucket();
  words['web-shop-backups'] = bucket;
  words['web-shop-production'] = `source-${randomUUID().slice(0, 8)}`;
  const storageId = (await send('storageDestinations.create')).id!;
  ids.dst = storageId;
  await send('storageDestinations.test', { storageId });
  await sendAll('storageDestinations.update storageDestinations.get storageDestinations.list storageUsage.get', { storageId });

  const projectId = (await send('projects.create')).id!;
  ids.prj = projectId;
  await sendAll('projects.list projects.workloadIdentity projects.get projects.update projects.collections projects.reads', {
    projectId,
  });
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
  const imported = (await send('backupContents.register')).id!;
  await sendAll(
    'backups.list backups.get backups.timeline backupContents.documents backupContents.diff backupContents.configuration backupContents.configurationDiff backupContents.configurationRestore',
    { backupId },
  );
  await sendAll('documents.locate documents.deleted search.documents');
  await send('backups.remove', { backupId: imported });

  await send('restores.create');
  // The example is a dry run; the other operations need a job.
  words['"dryRun": true'] = '"dryRun": false';
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

  await sendAll('restores.list restores.get restores.timeline', { restoreJobId });

  const exportId = (await send('exports.create')).id!;
  await endOfExport(organization(), exportId);
  await sendAll('exports.list exports.get exports.timeline exports.files exports.content', { exportId });

  // What is cancelled must not end before.
  const endOutage = await startOutage(words['web-shop-backups']!);
  const cancelledId = (await send('exports.create')).id!;
  await send('exports.cancel', { exportId: cancelledId });
  await endOutage();
  await endOfExport(organization(), cancelledId);

  const allow = await startOutage(words['web-shop-backups']!, 'denied');
  const failedId = (await send('exports.create')).id!;
  await endOfExport(organization(), failedId);
  await allow();
  await send('exports.resume', { exportId: failedId });
  equal((await endOfExport(organization(), failedId)).status, 'completed');

  const scheduleId = (await send('schedules.create')).id!;
  await send('schedules.update', { scheduleId });
  const triggered = await send('schedules.trigger', { scheduleId });
  await endOf(organization(), triggered.id!);
  await sendAll('schedules.list schedules.get schedules.remove', { scheduleId });

  await send('erasures.preview', { projectId });
  const erasureId = (await send('erasures.create', { projectId })).id!;
  await sendAll('erasures.list erasures.get', { projectId, erasureId });
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
  await sendAll('restoreTests.list restoreTests.get restoreTests.listRuns restoreTests.getRun evidence.get evidence.report', {
    restoreTestId,
    runId: waiting,
  });
  await send('restoreTests.remove', { restoreTestId });
  await receiver.stop();

  const webhookId = (await send('webhooks.create')).id!;
  const { deliveryId } = await send('webhooks.test', { webhookId });
  await send('webhooks.retry', { webhookId, deliveryId: deliveryId! });
  for (const operation of ['rotateSecret', 'replay', 'replace', 'update', 'toggle'])
    await send(`webhooks.${operation}`, { webhookId });
  await sendAll('webhooks.list webhooks.events webhooks.get webhooks.deliveries webhooks.request webhooks.remove', {
    webhookId,
    deliveryId: deliveryId!,
  });

  words['https://hooks.slack.com'] = 'https://localhost:9';
  const alertId = (await send('alerts.create')).id!;
  await send('alerts.update', { alertId });
  const tested = await send('alerts.test', { alertId });
  await send('alerts.retry', { alertId, deliveryId: tested.deliveryId! });
  await sendAll('alerts.list alerts.incidents alerts.digest alerts.get alerts.deliveries alerts.remove', { alertId });

  ids.usr = ada.userId;
  const incidentId = await putIncident(org, { id: projectId, name: 'Web shop' });
  await sendAll('incidents.get incidents.acknowledge incidents.update', { incidentId });
  await send('reports.protection');

  await send('serviceAccount.create');
  await send('serviceAccount.get');
  await send('serviceAccount.update');
  await send('serviceAccount.rotateKey');

  const apiKeyId = (await send('apiKeys.create')).id!;
  await sendAll('apiKeys.list apiKeys.get apiKeys.update apiKeys.rotate apiKeys.remove', { apiKeyId });

  const cancelledInvite = await send('invites.create');
  await send('invites.list');
  await send('invites.cancel', { inviteId: cancelledInvite.id! });
  const declined = await send('invites.create');
  await send('invitations.list');
  await send('invitations.view', { token: declined.acceptUrl!.split('/').at(-1)! });
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
  await sendAll('serviceAccount.remove');
  const again = await send('invites.create');
  person = grace;
  await send('invitations.accept', { token: again.acceptUrl!.split('/').at(-1)! });
  person = ada;
  await send('members.remove', { userId: grace.userId });

  await send('pitr.enable', { projectId });
  await sendAll('pitr.update pitr.get pitr.windows pitr.divergences pitr.disable', { projectId });
  await sendAll('auditLogs.list auditLogs.download');
  await send('projects.remove', { projectId: target.projectId });
  await send('storageDestinations.remove', { storageId: (await send('storageDestinations.create')).id! });
  await send('organizations.remove');
  await send('organizations.recover', { id: org });
  await signIn(ada.email);
  const signIns = (await send('sessions.list')) as unknown as readonly { readonly id: string; readonly current: boolean }[];
  await send('sessions.revoke', { sessionId: signIns.find(({ current }) => !current)!.id });
  await send('sessions.revokeAll');
  await send('auth.logout');
  deepEqual(
    // The identity provider calls it, with a state that only the browser of a sign-in has.
    endpoints.map(({ id }) => id).filter((id) => id !== 'auth.callback' && !sent.has(id)),
    [],
  );
});

/** The commands of a guide are separated by empty lines. */
const commandsOf = (samples: readonly CodeSample[]): readonly string[] =>
  samples.filter(({ language }) => language === 'sh').flatMap(({ code }) => code.split('\n\n'));

test('API docs: the samples of the guides lead from an API key to a completed backup, and read it', async () => {
  const organization = await newOrganization();
  const scopes = ['organization:read', 'projects:write', 'storage:write', 'backups:read', 'backups:write'] as const;
  const apiKey = await newServiceAccountKey(organization, scopes);
  const email = `backups-${randomUUID().slice(0, 8)}@p.iam.gserviceaccount.com`;
  const made = await fetch(`${stageVariable('STAGE_IDP_URL')}/google/accounts/${email}/keys`, { method: 'POST' });
  const { private_key } = (await made.json()) as { private_key: string };
  const bucket = await newBucket();
  /** Ids of the answers by their prefix, which later commands name. */
  const found: Record<string, string> = {};
  const withValues = (command: string): string =>
    command
      .replace('fb_key_…', apiKey)
      .replace('AKIA…', 'AKIATEST')
      .replace('"secretAccessKey": "…"', '"secretAccessKey": "not-so-secret"')
      .replace('my-bucket', bucket)
      .replace('my-project', `source-${randomUUID().slice(0, 8)}`)
      .replace('backups@my-project.iam.gserviceaccount.com', email)
      .replace(/-----BEGIN[^"]*/, private_key.replaceAll('\n', '\\n'))
      .replaceAll(/([a-z]{3})_…/g, (_, prefix: string) => found[prefix]!);
  const isRun = new Set<readonly CodeSample[]>();
  const runAll = async (samples: readonly CodeSample[], change = (command: string): string => command): Promise<string> => {
    isRun.add(samples);
    let output = '';
    for (const command of commandsOf(samples)) {
      const sent = change(withValues(command));
      const silent = 'curl() { command curl -sS "$@"; }';
      output = await shell(`${silent}\n${variables}\n${sent}`, { BACKUP_ID: found.bkp ?? '' });
      const [, id] = /"data":\{"id":"(\w+)"/.exec(output) ?? [];
      if (id !== undefined) found[id.split('_')[0]!] = id;
    }
    return output;
  };
  const variables = withValues(commandsOf(keyVariables(stageUrl(), organization.id)).join('\n'));

  match(await runAll(firstCall), /^\{"success":true/);
  await runAll(firstBackup);
  deepEqual(Object.keys(found).sort(), ['bkp', 'dst', 'org', 'prj']);
  match(await runAll(waitForBackup), /"status":"completed"/);
  const [first, second] = (await runAll(repeatSafely)).split(/(?=HTTP\/1\.1 )/);
  match(first!, /^HTTP\/1\.1 202 /);
  match(second!, /^HTTP\/1\.1 202 [\s\S]*^idempotent-replayed: true/im);
  equal(first!.split('\r\n\r\n')[1]?.trim(), second!.split('\r\n\r\n')[1]?.trim());
  const idsIn = (pages: string): readonly string[] => [...pages.matchAll(/"id":"(bkp_\w+)"/g)].map(([, id]) => id!);
  const whole = await runAll(readAllPages);
  const pages = await runAll(readAllPages, (command) => command.replace('limit=100', 'limit=1'));
  deepEqual([whole.trim().split('\n').length, pages.trim().split('\n').length], [1, 2]);
  deepEqual(idsIn(pages), idsIn(whole));

  const [exchange, refresh] = commandsOf(exchangeCode(stageUrl()));
  const verifier = randomUUID().repeat(2);
  const code = await newCode(undefined, createHash('sha256').update(verifier).digest('base64url'));
  const withCode = exchange!
    .replace('"code": "…"', `"code": "${code}"`)
    .replace('"code_verifier": "…"', `"code_verifier": "${verifier}"`);
  const { data } = JSON.parse(await shell(withCode, {})) as { data: { refreshToken: string } };
  match(await shell(refresh!.replace('…', data.refreshToken), {}), /^\{"success":true,"data":\{"accessToken":/);

  // A new sample of a guide is run here, too.
  const { keyVariables: _variables, exchangeCode: _exchange, ...samples } = guideSamples;
  deepEqual(
    Object.values(samples).filter((one) => !isRun.has(one)),
    [],
  );
  const pagesWithShell = readdirSync(guidesFolder).filter(
    (file) => file !== 'guide-samples.ts' && /language: 'sh'/.test(readFileSync(new URL(file, guidesFolder), 'utf8')),
  );
  deepEqual(pagesWithShell, []);
});

const guidesFolder = new URL('../../../functions/console/app/pages/docs/guides/', import.meta.url);
