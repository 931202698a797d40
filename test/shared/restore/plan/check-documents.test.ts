/** A range is checked in as many runs as it takes: each continues where the last one ended, and nothing is missed or saved twice. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { RunControl } from '../../../../shared/job/index.ts';
import { after as later } from '../../../../shared/platform/index.ts';
import { journalBackup, openJournalStore } from '../../../../shared/restore/model/journal.ts';
import { loadRestoreContext } from '../../../../shared/restore/model/restore-context.ts';
import { claimNextCheck } from '../../../../shared/restore/plan/check-progress.ts';
import type { CheckRun } from '../../../../shared/restore/plan/check-run.ts';
import { checkPart } from '../../../../shared/restore/plan/check-shard.ts';
import { openForRestore } from '../../../../shared/restore/read/open-for-restore.ts';
import { restoreScope } from '../../../../shared/restore/scope/restore-scope.ts';
import { sealJournal } from '../../../../shared/restore/seal/seal-journal.ts';
import { prepareRestore } from '../../../../shared/restore/steps/prepare-restore.ts';
import { backUpShop, text } from '../../../harness/builders/sample-shop.ts';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

/** Ends a run at the n-th reading of the clock: in time, or with a broken stream. */
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
    const backup = await backUpShop(t);
    const many = Array.from({ length: 700 }, (_, n) => `a/more${n}`);
    await t.putTarget(Object.fromEntries(many.map((path) => [path, text('x'.repeat(2_000))])));
    const live = t.documentsIn();
    const { deps } = t;
    const id = await t.startRestore(backup, { mergeMode: 'rollback' });
    deepEqual(await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, deps), { shards: [0] });
    const restore = t.restoreOf(id);
    let runs = 0;
    for (let isDone = false; !isDone; runs++) {
      const control = new Countdown(3, ending);
      const run: CheckRun = {
        context: await loadRestoreContext(t.tenant, restore, t.organization),
        restore,
        backup,
        open: await openForRestore(t.tenant, backup, deps),
        target: deps.openSource(t.tenant, (await loadRestoreContext(t.tenant, restore, t.organization)).target),
        store: await openJournalStore(t.tenant, restore, deps),
        dataKey: await deps.dataKeyOf(t.tenant, journalBackup(t.tenant, restore)),
        scope: restoreScope(restore, backup, undefined),
        control,
        deps,
      };
      const claim = await claimNextCheck(t.tenant, { job: restore, number: 0, random: deps.random });
      isDone = await checkPart(run, claim!);
      const [{ checkedTo, isChecked } = { checkedTo: undefined, isChecked: false }] = t.shardsOf(id);
      ok(isChecked || checkedTo !== undefined, `run ${runs}`);
      ok(runs < 20, 'nothing moves');
      control.close();
      run.open.close();
      run.target.close();
    }
    ok(runs > 2, `${runs} runs`);
    await sealJournal({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, deps);
    const entries = await t.journalOf(id);
    const { plan } = t.restoreOf(id);
    equal(plan!.delete, many.length + 2);
    equal(entries.size, plan!.create + plan!.overwrite + plan!.delete);
    for (const [path, { kind, content }] of entries) equal(content, kind === 'tombstone' ? '' : live.get(path), path);
    for (const path of many) ok(entries.has(path), path);
  });
