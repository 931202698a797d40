import { equal, match, rejects } from 'node:assert/strict';
import { Command } from 'commander';
import { test } from 'vitest';
import { addStatusCommand } from '../../../infra/cli/commands/status-command.ts';
import { Output } from '../../../infra/cli/output/output.ts';

/** Runs the command with the counts of an overview: all projects, and those it has checked. */
const run = async (all: number, { safe, atRisk }: { readonly safe: number; readonly atRisk: number }, ...args: string[]) => {
  const projects = Array.from({ length: safe + atRisk }, (_, n) => ({
    name: `Shop ${n}`,
    runningJobs: [],
    lastGoodBackup: null,
  }));
  const totals = { projects: all, protected: safe, atRisk, unprotected: 0, backups: 7, storedBytes: 0 };
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text) };
  const terminal = { columns: 80, paint: (_: string, text: string) => text, paintNote: (_: string, text: string) => text };
  const output = new Output({ stdout: { write: () => true }, stderr } as never, {}, terminal as never);
  const client = async () => ({ request: async () => ({ totals, projects, attention: [] }) });
  const program = new Command();
  addStatusCommand(program, (body) => (options) => body({ client, output } as never, options as never));
  await program.parseAsync(['node', 'bms', 'status', ...args]);
  return written.join('');
};

test('bms status: says that it shows only the newest projects', async () => {
  match(await run(1_010, { safe: 1_000, atRisk: 0 }), /^The 1,000 newest of 1,010 projects\n$/);
  equal(await run(1_000, { safe: 1_000, atRisk: 0 }), '');
});

test('bms status --check: fails for projects that were not checked, but does not call them unprotected', async () => {
  await rejects(run(1_010, { safe: 1_000, atRisk: 0 }, '--check'), /: 10 older projects not checked$/);
  await rejects(run(1_010, { safe: 998, atRisk: 2 }, '--check'), /: 2 of the 1,000 newest projects not protected$/);
  await rejects(run(1, { safe: 0, atRisk: 1 }, '--check'), /: 1 of 1 project not protected$/);
  await run(2, { safe: 2, atRisk: 0 }, '--check');
});
