/** `bms mcp`: serves tools to an AI assistant. */
import type { Command } from 'commander';
import { defineCommand } from '../base/define-command.ts';
import type { Action } from '../context/context.ts';

export const addMcpCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'mcp',
    summary: 'Serve tools for an AI assistant over stdio (Model Context Protocol)',
    description:
      'The tools only read and plan. With --allow-restore the assistant can also start a restore, but only one whose plan it has shown within the last 15 minutes.',
    examples: ['bms mcp', 'bms mcp --allow-restore', 'claude mcp add backups -- bms mcp'],
  })
    .option('--allow-restore', 'let the assistant start restores that it has planned')
    .action(
      action(async (context, { allowRestore = false }: { readonly allowRestore?: boolean }) => {
        // Loaded on demand: other commands start faster without the SDK.
        const { serveMcp } = await import('./serve-mcp.ts');
        await serveMcp(context, { allowRestore });
      }),
    );
};
