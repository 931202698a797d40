/** Validates the request of an export before anything is started. */
import type * as z from 'zod/mini';
import type { exports as rows } from '../../contract/endpoints/exports.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { downloadKeptDays } from '../../contract/limits.ts';
import { type DestinationRecord, readDestination } from '../../destination/index.ts';
import { CsvTable } from '../../export-format/index.ts';
import { compileRules } from '../../mask/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import {
  assertBatchesPresent,
  assertRestorable,
  checkCollections,
  readPointRequest,
  requestedSource,
  withKnownCollections,
} from '../../restore/index.ts';
import { type BackupRecord, readBackup } from '../../stored-backup/index.ts';
import { isAgeRecipient } from '../encrypt/age-sealer.ts';
import type { ExportRecord } from '../model/record.ts';

export type ExportBody = z.output<typeof rows.create.body>;

/** A valid request, with the records it refers to. */
export interface ExportRequest
  extends Pick<
    ExportRecord,
    'format' | 'columns' | 'exactText' | 'collections' | 'transform' | 'recipients' | 'retention' | 'download'
  > {
  /** Of a moment: the base of the backup that is to be built. */
  readonly backup: BackupRecord;
  readonly pointInTime: string | null;
  readonly projectId: string;
  /** Undefined once it is disconnected. */
  readonly project: ProjectRecord | undefined;
  readonly destination: DestinationRecord;
}

/** Errors are reported in this order: options, backup or moment, destination. */
export const readExportRequest = async (tenant: Tenant, body: ExportBody, now: Date): Promise<ExportRequest> => {
  const { format, transform, storageDestinationId, recipients, download = false } = body;
  if (download && storageDestinationId !== undefined) throw invalid('download', 'excludes storageDestinationId');
  const retention = body.retention ?? (download ? downloadKeptDays : undefined);
  const source = requestedSource(body);
  const collections = checkCollections(body.collections ?? ['*'], 'collections');
  const { columns, exactText } = csvOptions(body);
  if (transform) checkRules(transform.rules);
  if (recipients) checkRecipients(recipients);
  const { backup, pointInTime } =
    'backupId' in source
      ? { backup: await readBackup(tenant, source.backupId), pointInTime: null }
      : await readMoment(tenant, { ...source, collections, now });
  assertRestorable(backup);
  const destination = await readDestination(tenant, storageDestinationId ?? backup.storageDestination.id);
  if (retention !== undefined && destination.immutable)
    throw download
      ? invalid(
          'download',
          'is not possible beside a backup in an immutable storage destination: give another storageDestinationId instead',
        )
      : invalid('retention', 'is not possible in a storage destination that is immutable');
  const project = await get(projectKey.project(tenant, backup.projectId));
  const { projectId } = backup;
  return {
    format,
    columns,
    exactText,
    collections,
    ...(transform && { transform }),
    ...(recipients && { recipients: [...new Set(recipients)] }),
    ...(retention !== undefined && { retention }),
    ...(download && { download }),
    backup,
    pointInTime,
    projectId,
    project,
    destination,
  };
};

/** Throws CONFLICT if the moment is not proven for everything in scope. */
const readMoment = async (
  tenant: Tenant,
  {
    projectId,
    pointInTime,
    collections,
    now,
  }: {
    readonly projectId: string;
    readonly pointInTime: string;
    readonly collections: readonly string[];
    readonly now: Date;
  },
) => {
  const scope = { collections, documents: undefined, includeSubcollections: true, allowPartial: false };
  const { pointRequest } = await readPointRequest(tenant, { projectId, pointInTime, scope, now });
  const known = await withKnownCollections(tenant, pointRequest);
  await assertBatchesPresent(tenant, { pointRequest: known });
  return { backup: known.plan.base, pointInTime };
};

/** The rules are compiled as those of a restore, where they are among its options. */
const checkRules = (rules: NonNullable<ExportBody['transform']>['rules']): void => {
  try {
    compileRules(rules);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const named = (text: string): string => text.replaceAll('options.transform', 'transform');
    throw new ApiError(error.code, named(error.message), JSON.parse(named(JSON.stringify(error.details ?? {}))), {
      cause: error,
    });
  }
};

/** The end of a key is its checksum, so a mistyped one is noticed. */
const checkRecipients = (recipients: readonly string[]): void => {
  for (const [n, text] of recipients.entries())
    if (!isAgeRecipient(text)) throw invalid(`recipients.${n}`, 'is no public key of age: it is mistyped or incomplete');
};

/** Options of CSV belong to no other format. */
const csvOptions = ({ format, columns, exactText }: ExportBody): Pick<ExportRecord, 'columns' | 'exactText'> => {
  if (format !== 'csv') {
    if (columns) throw invalid('columns', 'belongs to the format csv');
    if (exactText !== undefined) throw invalid('exactText', 'belongs to the format csv');
  }
  if (columns) assertColumns(columns);
  return { columns: columns ?? null, exactText: exactText ?? false };
};

const columnsMaxBytes = 64 << 10;

const assertColumns = (columns: readonly string[]): void => {
  if (Buffer.byteLength(JSON.stringify(columns)) > columnsMaxBytes)
    throw invalid('columns', `must have at most ${columnsMaxBytes} bytes`);
  for (const [n, column] of columns.entries()) {
    if (columns.indexOf(column) < n) throw invalid(`columns.${n}`, 'must not be named twice');
    try {
      CsvTable.ofPaths([column], { isExact: false });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw invalid(`columns.${n}`, 'must be the path of a field, such as address.city, or a column such as __path__');
    }
  }
};
