import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { stageVariable } from '../stage/client.ts';

/** Pastes a line into a shell whose gcloud is that of the stage. Returns what it prints. */
export const runGcloudShell = async (line: string, idpPort = new URL(stageVariable('STAGE_IDP_URL')).port): Promise<string> => {
  const PATH = `${process.cwd()}/infra/local/gcloud:${process.env.PATH}`;
  const { stdout } = await promisify(execFile)('bash', ['-euc', line], { env: { ...process.env, IDP_PORT: idpPort, PATH } });
  return stdout.trim();
};
