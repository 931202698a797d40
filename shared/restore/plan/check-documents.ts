/** Plans the documents of a range in one walk, and stores each that will be touched as it is now. */
import { asTargetError, compareTextNames, type NameRange, probeSource, SourceError } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';
import { absenceKnowledge } from '../scope/restore-scope.ts';
import type { CheckClaim, CheckedRange, CheckRun } from './check-run.ts';
import { DocumentWalk } from './document-walk.ts';
import type { PlanWriter } from './plan-writer.ts';

/** Firestore's time limit of a query; functions/restore/workflow.ts reserves more than this. */
const countMs = 60_000;
/** Reading the target's clock is billed as one read. */
const probeReads = 1;

export const checkDocuments = async (run: CheckRun, { shard }: CheckClaim, writer: PlanWriter): Promise<CheckedRange> => {
  const { restore, backup, open, target, scope, control } = run;
  const range = JSON.parse(shard.range ?? '{}') as NameRange;
  const from = shard.checkedTo === undefined ? undefined : (JSON.parse(shard.checkedTo) as string);
  let walk: DocumentWalk | undefined;
  let isChecked = false;
  try {
    // Each run reads at a new time: the target keeps versions for an hour, and a restore may take longer.
    const { readTime } = await probeSource(target, control.reading);
    walk = new DocumentWalk({
      archive: open.archive,
      target,
      scope,
      // A name has no successor, so the range starts at the last name, which the visitor skips.
      bound: from === undefined ? range : { ...range, from },
      mode: restore.mergeMode,
      masker: run.masker,
      writesEqual: restore.writesEqual,
      isUndo: restore.undoOf !== null,
      knowsAbsence: absenceKnowledge(backup, open.archive),
      partialRestore: run.partialRestore,
      readTime,
      signal: control.reading,
      isOver: () => control.isYielding,
      isFull: () => writer.isFull,
      hidesPath: open.erasures && ((path) => open.erasures?.hidesPath(path) ?? false),
      onErased: (name) => {
        const path = name.toString();
        if (path !== from) writer.addErased(path);
      },
    });
    isChecked = await walk.run((decision) => {
      if (from !== undefined && decision.name.toString() === from) return;
      return writer.addDocument(decision);
    });
  } catch (error) {
    const cause = control.explain(error);
    if (cause !== undefined) throw asTargetError(cause);
  }
  control.check();
  await prove(walk, control);
  return { isChecked, checkedTo: later(writer.last, walk?.reached), reads: probeReads + (walk?.reads ?? 0) };
};

/** Required before anything of a walk is stored, complete or not. A count that times out is retried with the whole part. */
const prove = async (walk: DocumentWalk | undefined, control: RunControl): Promise<void> => {
  try {
    await walk?.prove(AbortSignal.any([control.storing, AbortSignal.timeout(countMs)]));
  } catch (error) {
    control.check();
    if (!(error instanceof SourceError && error.code === 'CANCELLED')) throw asTargetError(error);
    throw new SourceError('INTERNAL_ERROR', 'The target did not count its documents in time.', { isTransient: true });
  }
};

const later = (a: string | undefined, b: string | undefined): string | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  return compareTextNames(a, b) < 0 ? b : a;
};
