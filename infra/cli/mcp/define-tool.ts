/** How every tool is registered: strict arguments, a line on stderr per call, and errors as answers. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import type { Client } from '../../../shared/client/index.ts';
import { dataAnswer, failureAnswer } from './tool-answer.ts';

export interface ToolHost {
  readonly server: McpServer;
  /** The client of the chosen organization. Fails if no person is signed in. */
  readonly client: () => Promise<Client>;
  /** Writes a line to stderr; stdout belongs to the protocol. */
  readonly log: (line: string) => void;
}

interface Tool<Shape extends z.core.$ZodShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Shape;
  /** The main parts of its structured answer, which has more. */
  readonly output: z.core.$ZodLooseShape;
  /** Of a tool that changes something. */
  readonly annotations?: ToolAnnotations;
  readonly run: (
    client: Client,
    input: z.output<z.ZodMiniObject<Shape>>,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

const readOnly: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const defineTool = <Shape extends z.core.$ZodShape>(host: ToolHost, tool: Tool<Shape>): void => {
  const { name, title, description, annotations = readOnly, run, output } = tool;
  const inputSchema: z.ZodMiniObject = z.strictObject(tool.input);
  host.server.registerTool(
    name,
    {
      title,
      description,
      inputSchema,
      outputSchema: z.partial(z.looseObject({ ...output, ...shortenedAnswer })),
      annotations: { title, ...annotations },
    },
    async (input, { signal }) => {
      const startedMs = Date.now();
      try {
        const data = await run(await host.client(), input as never, signal);
        const answer = dataAnswer(data);
        host.log(`${name}: ${Date.now() - startedMs} ms`);
        return answer;
      } catch (error) {
        host.log(`${name}: failed after ${Date.now() - startedMs} ms`);
        return failureAnswer(error);
      }
    },
  );
};

/** In place of parts that are too long; so no part is certain. */
const shortenedAnswer = {
  shortened: z.string().check(z.describe('Which list is not complete, and how to ask for the rest')),
  tooLarge: z.string().check(z.describe('Why there is no answer, and what to ask instead')),
  charactersByPart: z.record(z.string(), z.int()),
};

/** A list of an answer: these fields of its elements, and others. */
export const listOf = (fields: z.core.$ZodLooseShape) => z.array(z.looseObject(fields));

/** A project as people name it; `findRecordId` looks it up. */
export const project = z
  .string()
  .check(z.minLength(1), z.maxLength(200), z.describe('Id or name of a project, or the id of its Google Cloud project'));
/** A backup as people name it; `findBackupId` looks it up. */
export const backup = z
  .string()
  .check(z.minLength(1), z.maxLength(100), z.describe('Id of a backup, the beginning of one, or latest: the newest good one'));
/** Beside a backup that may be `latest`. */
export const ofLatest = z.optional(project).check(z.describe('The project of latest'));
export const path = z.string().check(z.minLength(1), z.maxLength(6_144));
export const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' });

/** With every page of a list. */
export const nextCursor = z.nullable(z.string()).check(z.describe('Pass it as cursor for the next page; null at the end'));

/** Paging of every list. */
export const paging = {
  limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 20).check(z.describe('How many to return')),
  cursor: z.optional(z.string().check(z.maxLength(4_096))).check(z.describe('nextCursor of the previous answer')),
};
