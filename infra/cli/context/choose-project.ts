/** The project that a command is about. */
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import type { Context } from './context.ts';
import { findRecord } from './find-resource.ts';

/** The named project, or the only one. */
export const chooseProjectId = async ({ client: open }: Context, wanted: string | undefined): Promise<string> => {
  const client = await open();
  if (wanted !== undefined) return (await findRecord(client, 'project', wanted)).id;
  const { data } = await client.page('GET /projects', { query: { limit: 2 } });
  const [only] = data;
  if (!only)
    throw new CliFailure(exitCodes.notFound, 'there is no project yet: bms projects connect <id of the Google Cloud project>');
  if (data.length > 1) throw badInput('which project? Add --project; bms projects ls lists them');
  return only.id;
};
