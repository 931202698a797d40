/** Plans the users, and stores each that will be touched as it is now. */
import { inOrderOfNames, type PartWriter, withPart } from '../../backup/index.ts';
import { Heartbeat, JobFailure } from '../../job/index.ts';
import { accountOf, isRedacted, listAuthUsers, probeAuthUsers } from '../../project/index.ts';
import { asUpload, journalBackup } from '../model/journal.ts';
import type { PlanCounts } from '../model/record.ts';
import { lookAt } from '../model/running-restore.ts';
import { targetUsers, usersAlong, usersIn } from '../read/archived-users.ts';
import { noPlan, reportCheck } from './check-progress.ts';
import type { CheckClaim, CheckRun } from './check-run.ts';
import { isTouching } from './document-action.ts';
import { decideUserActions, type UserDecision } from './user-action.ts';

/** In one part, and always true: the target's users are listed from the beginning each time. Only a list shows what can be put back. */
export const checkUsers = (run: CheckRun, claim: CheckClaim): Promise<boolean> => {
  const { parties, restore, engine, halt, dataKey, store } = run;
  return withPart({ backup: journalBackup(parties.tenant, restore), dataKey, store, halt }, claim, async (part) => {
    const checkRunning = () => lookAt(parties.tenant, restore);
    const pulse = new Heartbeat({
      checkRunning,
      total: 0,
      control: halt,
      clock: engine.clock,
      unreported: () => 0,
      report: async () => undefined,
    });
    const saving = new Saving(run, part);
    await walk(run, saving).finally(() => pulse.stop());
    const stored = await part.finish().catch(asUpload);
    halt.check();
    const { plan, records, originalSize } = saving;
    const contents = stored && { ...stored, originalSize, collections: '[]' };
    await reportCheck(run, claim, { plan, records, collections: [], reads: 0, isChecked: true, part: contents });
    return true;
  });
};

const walk = async (run: CheckRun, saving: Saving): Promise<void> => {
  const { open, restore, unclean, halt } = run;
  const target = targetUsers(run);
  try {
    const live = inOrderOfNames(listAuthUsers(target, halt.reading));
    const left = unclean && usersAlong(open.archive, unclean.archive, undefined);
    for await (const decision of decideUserActions(usersIn(open.archive), live, restore.mergeMode, left))
      await saving.visit(decision);
    const { create, overwrite, delete: removed } = saving.plan;
    // Nothing is written before it is known that everything may be.
    if (!restore.dryRun && create + overwrite + removed > 0)
      await probeAuthUsers(target, { removal: removed > 0, signal: halt.reading });
  } catch (error) {
    const meaning = halt.explain(error);
    if (meaning !== undefined) throw meaning;
    throw new JobFailure('INTERNAL_ERROR', 'The users of the target could not be listed in the time of one worker');
  }
};

/** The plan, and the part of the journal that goes with it. */
class Saving {
  readonly plan: { -readonly [Action in keyof PlanCounts]: number } = { ...noPlan };
  records = 0;
  originalSize = 0;
  readonly #part: PartWriter;
  readonly #isPlanOnly: boolean;
  readonly #keepsContents: boolean;

  constructor({ restore }: CheckRun, part: PartWriter) {
    this.#part = part;
    this.#isPlanOnly = restore.dryRun;
    this.#keepsContents = restore.safetyBackup;
  }

  async visit({ id, name, action, live }: UserDecision): Promise<void> {
    this.plan[action] += 1;
    this.records += 1;
    if (!isTouching[action] || this.#isPlanOnly) return;
    if (live && this.#keepsContents) {
      if (isRedacted(accountOf(live))) throw unsaved();
      this.#part.user(id, live.json);
      this.originalSize += live.json.length;
    } else this.#part.tombstone(name);
    await this.#part.drain();
  }
}

/** Nothing was written: what cannot be saved is not replaced unless that is asked for. */
const unsaved = (): JobFailure =>
  new JobFailure(
    'TARGET_PERMISSION_DENIED',
    'The access to the target does not show the hashes of passwords (firebaseauth.configs.getHashConfig), so users that are replaced could not be put back: give it that permission, or restore without a safety backup',
  );
