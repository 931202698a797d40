/** The stage is killed under load and restarted: no accepted change is lost, and none is made twice. */
import { deepEqual, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startKillableStage } from '../harness/faults/killable-stage.ts';
import { startReceiver } from '../harness/stage/receiver.ts';
import { makeMeter } from './meter.ts';
import { startLoad } from './start-load.ts';
import { openTenant, type Tenant, until } from './tenant.ts';
import { type GuaranteeResult, verifyLoad, waitForDeliveries } from './verify-load.ts';

describe('after a kill -9 under load', () => {
  const delayScale = 6;
  /** Successful calls before the kill, and after it. */
  const callsMin = 20;
  const dir = mkdtempSync(join(tmpdir(), 'stage-'));
  const meter = makeMeter();
  const tenants: Tenant[] = [];
  let results: readonly GuaranteeResult[];
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
    rmSync(dir, { recursive: true, force: true });
  });

  const countOf = (outcome: 'answered' | 'unavailable'): number =>
    [...meter.endpoints.values()].reduce((sum, { outcomes }) => sum + outcomes[outcome], 0);

  beforeAll(async () => {
    let stage = await startKillableStage(dir, undefined, delayScale);
    ends.push(() => stage.kill());
    const receiver = await startReceiver({ forgets: true });
    ends.push(receiver.stop);
    tenants.push(await openTenant(receiver, meter, { projects: 1, documents: 20, failsOneOf: Number.POSITIVE_INFINITY }));
    const load = startLoad(tenants, { people: 1, reads: 0, kinds: ['project', 'webhook'], restores: false });
    await until(
      async () => countOf('answered') >= callsMin && load.jobs.running > 0,
      (isBusy) => isBusy || meter.unexpected.length > 0,
      20,
    );
    await stage.kill();
    stage = await startKillableStage(dir, stage.ports, delayScale);
    const answeredBefore = countOf('answered');
    await until(
      async () => countOf('answered') - answeredBefore >= callsMin,
      (isEnough) => isEnough || meter.unexpected.length > 0,
      20,
    );
    await load.stop();
    await waitForDeliveries(tenants, 120_000);
    results = await verifyLoad(tenants);
  });

  const guarantees = [
    'accepted writes have their last state, and nothing else exists',
    'every started backup or restore exists and has ended',
    'a repeated call starts one job',
    'an accepted change is delivered to the webhook at least once',
    'every event in the table was delivered',
    'every delivery has a valid signature and belongs to its organization',
  ];
  for (const guarantee of guarantees)
    test(guarantee, () => {
      const result = results.find((each) => each.guarantee === guarantee);
      ok((result?.cases ?? 0) > 0);
      deepEqual(result?.broken, []);
    });

  test('every call got the expected response, also those interrupted by the kill', () => {
    ok(countOf('unavailable') > 0);
    deepEqual(meter.unexpected, []);
  });

  test('the checks report lost, duplicate and undelivered changes', async () => {
    const { ledger, organization } = tenants[0]!;
    const [project = ''] = ledger.existing('project').keys();
    const [backup = ''] = ledger.ever('backup');
    ledger.wrote('webhook', 'whk_lost', 'Lost');
    ledger.wrote('organization', organization.id, 'Overwritten');
    ledger.removed('project', project);
    ledger.wrote('backup', 'bkp_lost');
    (ledger.ever('backup') as Set<string>).delete(backup);
    ledger.expectEvent('organization.updated', 'Overwritten');
    const results = await verifyLoad(tenants);
    deepEqual(Object.fromEntries(results.map(({ guarantee, broken }) => [guarantee, broken.length])), {
      'accepted writes have their last state, and nothing else exists': 3,
      'every started backup or restore exists and has ended': 1,
      'a repeated call starts one job': 1,
      'an accepted change is delivered to the webhook at least once': 1,
      'every event in the table was delivered': 0,
      'every delivery has a valid signature and belongs to its organization': 0,
    });
  });
});
