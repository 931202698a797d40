/** Commands that the resources of the contract have in common. Their routes and words follow from the resource's row. */
import type { Command } from 'commander';
import type { Client, Route } from '../../../shared/client/index.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { collectAll } from '../base/collect-all.ts';
import { type CommandText, defineCommand, defineList } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { askYesNo } from '../output/ask.ts';
import type { Detail, ListView } from '../output/output.ts';
import { summaryOf } from '../texts/contract-text.ts';
import type { Action, Context } from './context.ts';
import {
  composed,
  type ElementOfList,
  findRecord,
  findRecordId,
  type RecordOf,
  type Resource,
  type ResourceName,
  resources,
} from './find-resource.ts';

type Text = Partial<Pick<CommandText, 'summary' | 'examples' | 'aliases'>>;

interface ListText<T> extends Text, Pick<ListView<T>, 'empty'> {
  readonly columns: ListView<T>['columns'] | ((context: Context) => Promise<ListView<T>['columns']>);
  /** `--project` limits the list. */
  readonly ofProject?: true;
}

interface RemoveText extends Text {
  /** Of the question and the result, such as Delete. */
  readonly verb?: string;
  /** What the question adds. */
  readonly consequence?: string;
}

interface Named {
  readonly id: string;
  readonly name?: string;
}

const labelOf = ({ id, name }: Named): string => (name === undefined ? id : `${name} (${id})`);

interface ResourceGroup<N> {
  readonly name: N;
  /** The name of one that the examples use. */
  readonly sample: string;
  readonly group: Command;
  readonly action: Action;
}

/** Adds them to the group of a resource. */
export const resourceCommands = <N extends ResourceName>({ name, sample, group, action }: ResourceGroup<N>) => {
  const resource: Resource = resources[name];
  const { path, param, noun, argument = noun, isReadAlone = false, toggle = '' } = resource;
  const an = /^[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`;
  const one = `${path}/{${param}}`;
  const exampleOf = (word: string): string => `bms ${group.name()} ${word} ${sample}`;

  const addList = ({ columns, empty, ofProject, ...text }: ListText<ElementOfList<N>>): void => {
    const command = defineList(group, { summary: summaryOf(`GET ${path}`), examples: [`bms ${group.name()} ls`], ...text });
    if (ofProject) command.option('--project <project>', 'of this project');
    command.action(
      action(async (context, { project }: { readonly project?: string }) => {
        const client = await context.client();
        const query = { limit: 100, projectId: await findRecordId(client, 'project', project) };
        const found = await collectAll(composed(client).list<ElementOfList<N> & Named>(`GET ${path}`, { query }));
        const shown = typeof columns === 'function' ? await columns(context) : columns;
        context.output.list(found, { columns: shown, idOf: ({ id }) => id, empty });
      }),
    );
  };

  /** `extend` reads what the record itself lacks; it is shown beside the record's own fields. */
  const addShow = <E extends object = object>(
    detailsOf: (record: RecordOf<N> & E) => readonly Detail[],
    { extend, ...text }: Text & { readonly extend?: (client: Client, id: string) => Promise<E> } = {},
  ): void => {
    const usual = {
      name: `show <${argument}>`,
      aliases: ['get'],
      summary: summaryOf(`GET ${one}` as Route),
      examples: [exampleOf('show')],
    };
    defineCommand(group, { ...usual, ...text }).action(
      action(async ({ client: open, output }, _, [wanted = '']) => {
        const client = await open();
        const found = await findRecord(client, name, wanted);
        const { id } = found as Named;
        const record = { ...(found as object), ...(await extend?.(client, id)) } as RecordOf<N> & E;
        output.show(record, id, detailsOf(record));
      }),
    );
  };

  const addSwitch = (summaries = { enable: `Enable ${an}`, disable: `Disable ${an}` }): void => {
    for (const word of ['enable', 'disable'] as const)
      defineCommand(group, { name: `${word} <${argument}>`, summary: summaries[word], examples: [exampleOf(word)] }).action(
        action(async ({ client: open, output }, _, [wanted = '']) => {
          const client = await open();
          const id = await findRecordId(client, name, wanted);
          const input = { params: { [param]: id }, body: { enabled: word === 'enable' } };
          const route = `PATCH ${one}${toggle}`;
          const record = await composed(client).request<Named>(route, input);
          output.result(record, id, `${noun[0]?.toUpperCase()}${noun.slice(1)} ${labelOf(record)} is ${word}d`);
        }),
      );
  };

  const addRemove = ({ verb = 'Delete', consequence = '', ...text }: RemoveText = {}): void => {
    const usual = {
      name: `delete <${argument}>`,
      aliases: ['rm'],
      summary: summaryOf(`DELETE ${one}` as Route),
      examples: [`${exampleOf('delete')} --yes`],
    };
    defineCommand(group, { ...usual, ...text })
      .option('-y, --yes', 'do not ask')
      .action(
        action(async (context, { yes }: { readonly yes?: boolean }, [wanted = '']) => {
          const client = await context.client();
          const record: Named = isReadAlone
            ? { id: await findRecordId(client, name, wanted) }
            : ((await findRecord(client, name, wanted)) as Named);
          const { id } = record;
          const what = verb === 'Delete' ? `${noun} ${labelOf(record)}` : labelOf(record);
          if (!yes && !(await askYesNo(context, [`${verb} ${what}?`, consequence].filter(Boolean).join(' '))))
            throw new CliFailure(exitCodes.failed, 'nothing was deleted');
          const result = await composed(client).request(`DELETE ${one}`, { params: { [param]: id } });
          context.output.result(result, id, `${verb.replace(/e?$/, 'ed')} ${isReadAlone ? what : labelOf(record)}`);
        }),
      );
  };
  return { addList, addShow, addSwitch, addRemove };
};
