/** Memory of a stage process and of its DynamoDB Local. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Resident bytes; 0 for a process that has ended. */
export const memoryOf = async (pid: number): Promise<Readonly<Record<'stage' | 'table', number>>> => {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,rss=,comm=']);
  const processes = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([id, parent, kilobytes, ...name]) => ({
      ...{ id: Number(id), parent: Number(parent), bytes: Number(kilobytes) * 1_024, name: name.join(' ') },
    }));
  const below = (id: number): typeof processes =>
    processes.filter(({ parent }) => parent === id).flatMap((child) => [child, ...below(child.id)]);
  return {
    stage: processes.find(({ id }) => id === pid)?.bytes ?? 0,
    // DynamoDB Local: a JVM that the stage starts through a shell.
    table: below(pid)
      .filter(({ name }) => name.includes('java'))
      .reduce((sum, { bytes }) => sum + bytes, 0),
  };
};
