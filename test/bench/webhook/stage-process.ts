/** Child process with a whole stage: latency from a change to its receiver, alone and next to many healthy or dead endpoints. */
import { setTimeout as pause } from 'node:timers/promises';
import { rootAccessKeyId } from '../../../infra/local/base/types.ts';
import { region, startStage } from '../../../infra/local/stage.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';

export interface Took {
  readonly aloneMs: readonly number[];
  readonly besideHealthyMs: readonly number[];
  readonly besideDeadMs: readonly number[];
  /** Attempts that reached hanging endpoints meanwhile. */
  readonly hung: number;
}

const [dir = '', deadText = ''] = process.argv.slice(2);
const dead = Number(deadText);
const perOrganization = 100;
const changes = 50;
const pauseMs = 200;

const stage = await startStage({
  ...{
    port: 0,
    identityPort: 0,
    s3Port: 0,
    gcsPort: 0,
    firestorePort: 0,
    allowedHosts: ['localhost'],
    delayScale: 1,
    demo: false,
    dir,
  },
  config: { requestsPerMinute: 100_000 },
});
Object.assign(process.env, {
  STAGE_URL: stage.url,
  STAGE_IDP_URL: stage.identityUrl,
  STAGE_AWS_URL: stage.aws.url,
  STAGE_AWS_KEY: rootAccessKeyId,
  STAGE_REGION: region,
  STAGE_TABLE: stage.tableName,
  STAGE_DIR: dir,
});
const receiver = await startReceiver();
receiver.answer('/hang', 'hang');

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });
const subscribe = async (organization: TestOrganization, url: string): Promise<void> => {
  // No retries: they would start after the measurement, a minute later.
  const body = { name: 'Bench', url, events: ['organization.updated'], timeout: 5_000, retryEnabled: false };
  const { status, text } = await call(webhooks.create, { ...by(organization), body });
  if (status !== 201) throw new Error(text);
};
const change = async (organization: TestOrganization, name: string): Promise<void> => {
  const { status, text } = await call(organizations.update, { ...by(organization), body: { name } });
  if (status !== 200) throw new Error(text);
};

const live = await newOrganization();
await subscribe(live, receiver.url('/live'));

/** From the timestamp of the event, just before its commit, to the receipt of the whole request. */
const measure = async (title: string): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let n = 0; n < changes; n++) {
    const name = `${title} ${n}`;
    await change(live, name);
    const heard = await receiver.next(({ path, body }) => path === '/live' && body.includes(JSON.stringify(name)), 60_000);
    const { timestamp } = JSON.parse(heard.body.toString()) as { timestamp: string };
    times.push(heard.at - Date.parse(timestamp));
    await pause(pauseMs);
  }
  return times;
};
await measure('Warm');
const subscribeAll = async (urlOf: (n: number) => string): Promise<readonly TestOrganization[]> => {
  const organizations: TestOrganization[] = [];
  for (let n = 0; n < dead; n += perOrganization) {
    const organization = await newOrganization();
    organizations.push(organization);
    for (let k = 0; k < perOrganization; k++) await subscribe(organization, urlOf(k));
  }
  return organizations;
};
const healthyOrganizations = await subscribeAll(() => receiver.url('/healthy'));
// Half of them hang, half refuse the connection.
const deadOrganizations = await subscribeAll((n) => (n % 2 ? receiver.url('/hang') : 'https://localhost:1/'));
const heardHanging = () => receiver.requests.filter(({ path }) => path === '/hang').length;

/** While the organizations' endpoints get one delivery each, spread over the measurement. */
const measureBeside = async (title: string, organizations: readonly TestOrganization[]): Promise<readonly number[]> => {
  const delivering = (async () => {
    for (const organization of organizations) {
      await change(organization, 'Changed');
      await pause((changes * pauseMs) / organizations.length);
    }
  })();
  const times = await measure(title);
  await delivering;
  return times;
};
const aloneMs = await measure('Alone');
const besideHealthyMs = await measureBeside('Beside healthy', healthyOrganizations);
const hungBefore = heardHanging();
const besideDeadMs = await measureBeside('Beside dead', deadOrganizations);
process.send?.({ aloneMs, besideHealthyMs, besideDeadMs, hung: heardHanging() - hungBefore } satisfies Took);
await receiver.stop();
await stage.stop();
process.exit();
