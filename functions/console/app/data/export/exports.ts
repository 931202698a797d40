import { useState } from 'react';
import type { Client, DataOf, ElementOf, InputOf } from '../../../../../shared/client/index.ts';
import { useChange, useList, useRead } from '../../api/use-api.ts';
import { fileNameOf, saveFile } from '../../ui/save-file.ts';
import { isTimelineOpen } from '../job-words.ts';

export type ExportJob = DataOf<'GET /exports/{exportId}'>;
export type ExportBody = NonNullable<InputOf<'POST /exports'>['body']>;
export type ExportPlan = Extract<DataOf<'POST /exports'>, { readonly dryRun: true }>;
export type ExportFile = ElementOf<'GET /exports/{exportId}/files'>;
type Filters = NonNullable<InputOf<'GET /exports'>['query']>;

export const isExportActive = ({ status }: Pick<ExportJob, 'status'>): boolean => status === 'pending' || status === 'running';

export const useExports = (filters: Filters = {}) =>
  useList('GET /exports', { query: filters }, { pollWhile: (exports) => exports.some(isExportActive) });

export const useExport = (exportId: string) =>
  useRead('GET /exports/{exportId}', { params: { exportId } }, { pollWhile: isExportActive });

/** What has happened to an export; read again as long as it runs. */
export const useExportTimeline = (job: ExportJob) =>
  useRead(
    'GET /exports/{exportId}/timeline',
    { params: { exportId: job.id } },
    { pollWhile: (timeline) => isTimelineOpen(timeline, isExportActive(job)) },
  );

/** What an export would write. */
export const usePlanExport = () =>
  useChange({
    call: (client, body: ExportBody) =>
      client.request('POST /exports', { body: { ...body, dryRun: true } }) as Promise<ExportPlan>,
    invalidates: [],
    toastsError: false,
  });

export const useStartExport = () =>
  useChange({
    call: (client, body: ExportBody) => client.request('POST /exports', { body }) as Promise<ExportJob>,
    invalidates: ['/exports'],
    toastsError: false,
  });

export const useCancelExport = (exportId: string) =>
  useChange({
    call: (client) => client.request('POST /exports/{exportId}/cancel', { params: { exportId } }),
    done: 'The export is being cancelled',
    tone: 'info',
    invalidates: ['/exports'],
    reloadsOnError: true,
  });

export const useResumeExport = (exportId: string) =>
  useChange({
    call: (client) => client.request('POST /exports/{exportId}/resume', { params: { exportId } }),
    done: 'The export has been resumed',
    invalidates: ['/exports'],
    reloadsOnError: true,
  });

/** The files of a completed export, as its manifest in the bucket lists them. */
export const useExportFiles = (exportId: string) =>
  useList('GET /exports/{exportId}/files', { params: { exportId }, query: { limit: 50 } });

/** Downloads a file piece by piece; `percent` says how far it is. */
export const useDownloadExportFile = (exportId: string) => {
  const [percent, setPercent] = useState(0);
  const download = useChange({
    call: async (client, file: ExportFile) => {
      const whole = await readFile(client, { exportId, file, report: setPercent });
      saveFile(fileNameOf(file.name), whole, 'application/octet-stream');
    },
    done: (_, { name }) => `${name} was downloaded`,
    invalidates: [],
  });
  return { ...download, percent };
};

interface FileDownload {
  readonly exportId: string;
  readonly file: ExportFile;
  readonly report: (percent: number) => void;
}

const readFile = async (client: Client, { exportId, file: { name, bytes, sha256 }, report }: FileDownload): Promise<Blob> => {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    report(bytes === 0 ? 0 : (100 * offset) / bytes);
    const query = { file: name, offset: String(offset) };
    const piece: Piece = await client.request('GET /exports/{exportId}/content', { params: { exportId }, query });
    pieces.push(Uint8Array.from(atob(piece.content), (character) => character.charCodeAt(0)));
    offset = piece.nextOffset;
  }
  const whole = new Blob(pieces);
  if ((await digestOf(whole)) !== sha256) throw new Error(`${name} in the bucket is not the file that was exported.`);
  return whole;
};

type Piece = DataOf<'GET /exports/{exportId}/content'>;

const digestOf = async (blob: Blob): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
};
