import type { DataOf, ElementOf, InputOf } from '../../../../../shared/client/index.ts';
import { useChange, useList, useRead } from '../../api/use-api.ts';
import { saveFile } from '../../ui/save-file.ts';

export type RestoreTest = ElementOf<'GET /restore-tests'>;
export type RestoreTestInput = InputOf<'POST /restore-tests'>['body'];
export type TestRun = DataOf<'GET /restore-tests/runs/{runId}'>;
export type Report = Exclude<DataOf<'GET /restore-tests/report'>, string>;
type ReportQuery = NonNullable<InputOf<'GET /restore-tests/report'>['query']>;

export const isUnfinished = ({ status }: Pick<TestRun, 'status'>): boolean => status === 'pending' || status === 'running';

export const useRestoreTests = (projectId?: string) =>
  useList('GET /restore-tests', { query: { limit: 100, ...(projectId !== undefined && { projectId }) } });

export const useRestoreTest = (restoreTestId: string) =>
  useRead('GET /restore-tests/{restoreTestId}', { params: { restoreTestId } });

export const useTestRuns = (restoreTestId: string) =>
  useList(
    'GET /restore-tests/{restoreTestId}/runs',
    { params: { restoreTestId }, query: { limit: 20 } },
    { pollWhile: (runs) => runs.some(isUnfinished) },
  );

export const useTestRun = (runId: string) =>
  useRead('GET /restore-tests/runs/{runId}', { params: { runId } }, { pollWhile: isUnfinished });

export const useReport = (query: ReportQuery) => useRead('GET /restore-tests/report', { query: { ...query, format: 'json' } });

/** The report as the page that is printed and saved. */
export const useReportPage = (query: ReportQuery) =>
  useRead('GET /restore-tests/report', { query: { ...query, format: 'html' } });

const changed = ['/restore-tests', '/overview'] as const;

export const useCreateRestoreTest = () =>
  useChange({
    call: (client, body: RestoreTestInput) => client.request('POST /restore-tests', { body }),
    done: ({ name }) => `${name} is created`,
    invalidates: changed,
    toastsError: false,
  });

export const useUpdateRestoreTest = (restoreTestId: string) =>
  useChange({
    call: (client, body: InputOf<'PATCH /restore-tests/{restoreTestId}'>['body']) =>
      client.request('PATCH /restore-tests/{restoreTestId}', { params: { restoreTestId }, body }),
    done: ({ name }) => `${name} is saved`,
    invalidates: changed,
    toastsError: false,
  });

/** Pauses or resumes. */
export const useSwitchRestoreTest = ({ id: restoreTestId, name }: RestoreTest) =>
  useChange({
    call: (client, enabled: boolean) =>
      client.request('PATCH /restore-tests/{restoreTestId}', { params: { restoreTestId }, body: { enabled } }),
    done: (_, enabled) => (enabled ? `${name} runs again` : `${name} is paused`),
    invalidates: changed,
  });

export const useRunRestoreTest = ({ id: restoreTestId, name }: Pick<RestoreTest, 'id' | 'name'>) =>
  useChange({
    call: (client) => client.request('POST /restore-tests/{restoreTestId}/run', { params: { restoreTestId } }),
    done: `${name} has started`,
    tone: 'info',
    invalidates: changed,
  });

export const useDeleteRestoreTest = ({ id: restoreTestId, name }: RestoreTest) =>
  useChange({
    call: (client) => client.request('DELETE /restore-tests/{restoreTestId}', { params: { restoreTestId } }),
    done: `${name} is deleted. Its runs and their evidence are kept.`,
    invalidates: changed,
    toastsError: false,
  });

export const useCancelRun = (runId: string) =>
  useChange({
    call: (client) => client.request('POST /restore-tests/runs/{runId}/cancel', { params: { runId } }),
    done: 'The test is being cancelled',
    tone: 'info',
    invalidates: changed,
    toastsError: false,
  });

/** Saves the evidence as a file. The service verifies it first. */
export const useSaveEvidence = (runId: string) =>
  useChange({
    call: async (client) => {
      const evidence = await client.request('GET /restore-tests/runs/{runId}/evidence', { params: { runId } });
      saveFile(`${runId}.json`, JSON.stringify(evidence, undefined, 2), 'application/json');
      return evidence;
    },
    done: 'The evidence is verified and saved',
    invalidates: [],
    toastsError: false,
  });
