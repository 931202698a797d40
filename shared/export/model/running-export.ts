/** A running export, and the condition under which its steps write to it. */
import { idsIn } from '../../contract/ids.ts';
import { type Advance, assertRunning, JobEndedError, updateRunningJob } from '../../job/index.ts';
import { addLogContext, get, iso, type Tenant, type Write } from '../../platform/index.ts';
import { type ExportRecord, exportKey } from './record.ts';

/** Which attempt of which export a step works for. Each attempt has a workflow of its own. */
export interface ExportAttempt {
  readonly tenant: Tenant;
  readonly exportId: string;
  readonly attempt: number;
}

/** Throws JobEndedError if the attempt has ended. */
export const loadRunningExport = async ({ tenant, exportId, attempt }: ExportAttempt): Promise<ExportRecord> => {
  const record = assertRunning(await get(exportKey.export(tenant, exportId)));
  addLogContext(idsIn(record));
  if (record.attempt !== attempt) throw new JobEndedError('continued by another attempt');
  return record;
};

/** Fails once the export has ended, or has entered another phase. */
export const updateRunningExport = (
  tenant: Tenant,
  { id, phase, attempt }: Pick<ExportRecord, 'id' | 'phase' | 'attempt'>,
  { expected, ...change }: Advance,
): Write => updateRunningJob(exportKey.export(tenant, id), { ...change, expected: { phase, attempt, ...expected } });

/** The attributes of an export that enters a phase now. */
export const enteredPhase = (phase: ExportRecord['phase'], now: Date): Partial<ExportRecord> => ({ phase, phaseSince: iso(now) });
