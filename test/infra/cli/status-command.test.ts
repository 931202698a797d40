import { equal, match, rejects } from 'node:assert/strict';
import { Command } from 'commander';
import { test } from 'vitest';
import { addStatusCommand } from '../../../infra/cli/commands/status-command.ts';
import { Output } from '../../../infra/cli/output/output.ts';

/** Runs the command against an overview of that many projects, in pages. */
const run = async (
  all: number,
  { atRisk = 0, matching = all }: { readonly atRisk?: number; readonly matching?: number },
  ...args: string[]
) => {
  const totals = {
    projects: all,
    protected: all - atRisk,
    atRisk,
    unprotected: 0,
    unverified: 3,
    proven: 2,
    backups: 7,
    storedBytes: 0,
  };
  const written: string[] = [];
  const lines: string[] = [];
  const stderr = { write: (text: string) => written.push(text) };
  const terminal = { columns: 200, paint: (_: string, text: string) => text, paintNote: (_: string, text: string) => text };
  const output = new Output({ stdout: { write: (text: string) => lines.push(text) }, stderr } as never, {}, terminal as never);
  const queries: { readonly cursor?: string; readonly limit: number }[] = [];
  const page = async (_: string, { query }: { readonly query: (typeof queries)[number] }) => {
    queries.push(query);
    const start = Number(query.cursor ?? 0);
    const projects = Array.from({ length: Math.min(query.limit, matching - start) }, (_one, n) => ({
      name: `Shop ${start + n}`,
      protection: 'protected',
      verified: n > 0,
      lastRestoreTest: n > 0 ? null : { at: '2026-03-01T00:00:00.000Z', documentsWritten: 1_234 },
      runningJobs: [],
      lastGoodBackup: null,
    }));
    const end = start + projects.length;
    return {
      data: { totals, matching, projects, attention: [] },
      pagination: { nextCursor: end < matching ? String(end) : null },
    };
  };
  const program = new Command();
  addStatusCommand(
    program,
    (body) => (options) => body({ client: async () => ({ page }), output } as never, options as never, []),
  );
  await program.parseAsync(['node', 'bms', 'status', ...args]);
  return { notes: written.join(''), shown: lines.join(''), queries };
};

test('bms status: lists some projects, or all of them page by page, and says what is proven', async () => {
  const { notes, shown } = await run(2_000, {});
  match(notes, /^Only the first 50 are listed; --limit or --all lists more\n$/);
  match(shown, /Shop 0 +protected, not verified +.*2026-03-01 00:00, 1,234 documents written/);
  match(shown, /Shop 1 +protected +.*never/);
  match(shown, /2,000 of 2,000 projects protected, 3 of them not verified, 2 proven by a restore test, 7 backups, 0 B stored/);
  const all = await run(250, {}, '--all');
  equal(all.notes, '');
  equal(all.queries.length, 3);
  equal(all.shown.match(/Shop/g)?.length, 250);
});

test('bms status: passes on its filters, and says how many match', async () => {
  const args = ['--search', 'shop', '--protection', 'at_risk', '--label', 'team=shop', '--sort', 'name', '--reverse'];
  const { notes, queries } = await run(10, { matching: 2 }, ...args);
  match(JSON.stringify(queries[0]), /"search":"shop","protection":"at_risk","label":"team=shop","sort":"-name"/);
  match(notes, /^2 of 10 projects match\n$/);
  match((await run(10, { matching: 0 }, '--search', 'x')).notes, /^No project matches\n0 of 10 projects match\n$/);
});

test('bms status --check: fails unless all projects are protected, whichever are listed', async () => {
  await rejects(run(2_000, { atRisk: 2 }, '--check', '--limit', '1'), /: 2 of 2,000 projects not protected$/);
  await run(2, {}, '--check');
});
