/** The stage is killed under load and started again: nothing that was accepted is lost, and nothing is done twice. */
import { deepEqual, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startKillableStage } from '../harness/faults/killable-stage.ts';
import { startReceiver } from '../harness/stage/receiver.ts';
import { judge, settle, type Verdict } from './judgement.ts';
import { startLoad } from './load.ts';
import { makeMeter } from './meter.ts';
import { openTenant, type Tenant, until } from './tenant.ts';

describe('after a kill -9 under load', () => {
  const delayScale = 6;
  /** Before the kill and after it. */
  const callsMin = 20;
  const dir = mkdtempSync(join(tmpdir(), 'stage-'));
  const meter = makeMeter();
  const tenants: Tenant[] = [];
  let verdicts: readonly Verdict[];
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
    rmSync(dir, { recursive: true, force: true });
  });

  const countOf = (outcome: 'answered' | 'away'): number =>
    [...meter.endpoints.values()].reduce((sum, { outcomes }) => sum + outcomes[outcome], 0);

  beforeAll(async () => {
    let stage = await startKillableStage(dir, undefined, delayScale);
    ends.push(() => stage.kill());
    const receiver = await startReceiver({ forgets: true });
    ends.push(receiver.stop);
    tenants.push(await openTenant(receiver, meter, { projects: 1, documents: 20, failsOneOf: Number.POSITIVE_INFINITY }));
    const load = startLoad(tenants, { people: 1, looks: 0, kinds: ['project', 'webhook'], restores: false });
    await until(
      async () => countOf('answered') >= callsMin && load.jobs.running > 0,
      (isBusy) => isBusy || meter.surprises.length > 0,
      20,
    );
    await stage.kill();
    stage = await startKillableStage(dir, stage.ports, delayScale);
    const answeredBefore = countOf('answered');
    await until(
      async () => countOf('answered') - answeredBefore >= callsMin,
      (isEnough) => isEnough || meter.surprises.length > 0,
      20,
    );
    await load.stop();
    await settle(tenants, 120_000);
    verdicts = await judge(tenants);
  });

  const laws = [
    'an accepted write is there, as it was last written, and nothing else is',
    'a backup or restore that was started is there and has ended',
    'one call makes one job, however often it is repeated',
    'an accepted change is told to the webhook at least once',
    'an event in the table was delivered',
    'a delivery is signed right and of its own organization',
  ];
  for (const law of laws)
    test(law, () => {
      const verdict = verdicts.find((each) => each.law === law);
      ok((verdict?.cases ?? 0) > 0);
      deepEqual(verdict?.broken, []);
    });

  test('every call was answered in the end and as it should be, those that were cut off, too', () => {
    ok(countOf('away') > 0);
    deepEqual(meter.surprises, []);
  });

  test('what were lost, doubled or untold would have been found', async () => {
    const { ledger, organization } = tenants[0]!;
    const [project = ''] = ledger.there('project').keys();
    const [backup = ''] = ledger.ever('backup');
    ledger.wrote('webhook', 'whk_lost', 'Lost');
    ledger.wrote('organization', organization.id, 'Overwritten');
    ledger.removed('project', project);
    ledger.wrote('backup', 'bkp_lost');
    (ledger.ever('backup') as Set<string>).delete(backup);
    ledger.promise('organization.updated', 'Overwritten');
    const broken = new Map((await judge(tenants)).map(({ law, broken }) => [law, broken.length]));
    deepEqual(
      laws.map((law) => broken.get(law)),
      [3, 1, 1, 1, 0, 0],
    );
  });
});
