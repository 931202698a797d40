/** A range is checked in as many runs as it takes: each continues where the last one ended, and nothing is missed or saved twice. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { RunControl } from '../../../../shared/job/index.ts';
import { after as later } from '../../../../shared/platform/index.ts';
import { claimNextPart } from '../../../../shared/restore/check/check-progress.ts';
import type { CheckRun } from '../../../../shared/restore/check/check-run.ts';
import { checkPart } from '../../../../shared/restore/check/check-shard.ts';
import { journalBackup, openJournalStore } from '../../../../shared/restore/model/journal.ts';
import { loadRestoreContext } from '../../../../shared/restore/model/restore-context.ts';
import { openForRestore } from '../../../../shared/restore/read/open-for-restore.ts';
import { restoreScope } from '../../../../shared/restore/scope/restore-scope.ts';
import { sealJournal } from '../../../../shared/restore/seal/seal-journal.ts';
import { prepareRestore } from '../../../../shared/restore/steps/prepare-restore.ts';
import { newShop, text } from '../../../harness/builders/sample-shop.ts';
import {
  documentsIn,
  journalOf,
  organizationNow,
  putTarget,
  restoreOf,
  server,
  shardsOf,
  startTestRestore,
  tenant,
} from '../../../harness/env/restore-env.ts';

afterAll(() => server.stop());

/** Ends a run at the n-th look at the clock: in good time, or with the stream torn off. */
class Countdown extends RunControl {
  readonly #pause = new AbortController();
  readonly #ending: 'in time' | 'torn off';
  #left: number;
  override readonly reading: AbortSignal = this.#pause.signal;

  constructor(left: number, ending: 'in time' | 'torn off') {
    super(later(new Date(), 600), { now: () => new Date() });
    this.#left = left;
    this.#ending = ending;
  }

  override get isYielding(): boolean {
    if (--this.#left === 0) this.#pause.abort();
    return this.#left < 0 || (this.#left === 0 && this.#ending === 'in time');
  }
}

for (const ending of ['in time', 'torn off'] as const)
  test(`check: a run that ends ${ending} is continued after its last document`, async () => {
    const { world, backup } = await newShop();
    const many = Array.from({ length: 700 }, (_, n) => `a/more${n}`);
    await putTarget(world, Object.fromEntries(many.map((path) => [path, text('x'.repeat(2_000))])));
    const live = documentsIn(world);
    const { engine } = world;
    const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
    deepEqual(await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, engine), { shards: [0] });
    const restore = restoreOf(id);
    let runs = 0;
    for (let isDone = false; !isDone; runs++) {
      const control = new Countdown(3, ending);
      const run: CheckRun = {
        context: await loadRestoreContext(tenant, restore, organizationNow()),
        restore,
        backup,
        open: await openForRestore(tenant, backup, engine),
        target: engine.openSource(tenant, (await loadRestoreContext(tenant, restore, organizationNow())).target),
        store: await openJournalStore(tenant, restore, engine),
        dataKey: await engine.dataKeyOf(tenant, journalBackup(tenant, restore)),
        scope: restoreScope(restore, backup, undefined),
        control,
        deps: engine,
      };
      const claim = await claimNextPart(tenant, restore, 0, engine.random);
      isDone = await checkPart(run, claim!);
      const [{ checkedTo, isChecked } = { checkedTo: undefined, isChecked: false }] = shardsOf(id);
      ok(isChecked || checkedTo !== undefined, `run ${runs}`);
      ok(runs < 20, 'nothing moves');
      control.close();
      run.open.close();
      run.target.close();
    }
    ok(runs > 2, `${runs} runs`);
    await sealJournal({ tenant, restoreJobId: id, attempt: 1 }, engine);
    const entries = await journalOf(world, id);
    const { plan } = restoreOf(id);
    equal(plan!.delete, many.length + 2);
    equal(entries.size, plan!.create + plan!.overwrite + plan!.delete);
    for (const [path, { kind, content }] of entries) equal(content, kind === 'tombstone' ? '' : live.get(path), path);
    for (const path of many) ok(entries.has(path), path);
  });
