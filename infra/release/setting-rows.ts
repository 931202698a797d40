/** The settings as a customer reads them: texts from the table of infra/deploy.md, types from infra/config.ts. */
import { readFileSync } from 'node:fs';
import { settingsSchema } from '../config.ts';

export interface SettingRow {
  readonly name: string;
  readonly text: string;
  /** In words, as the guide states it. */
  readonly usual: string;
  readonly schema: SettingSchema;
}

interface SettingSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly items?: SettingSchema;
  readonly anyOf?: readonly SettingSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const guide = new URL('../deploy.md', import.meta.url);

/** One for each setting, in the order of the guide. */
export const settingRows = (): readonly SettingRow[] => {
  const schemas = settingsSchema().properties as Readonly<Record<string, SettingSchema>>;
  const table = readFileSync(guide, 'utf8').split('\n## Settings\n')[1]?.split('\n## ')[0] ?? '';
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, names = '', usual = '', text = ''] = line.split('|').map((cell) => cell.trim());
      if (text === '') throw new Error(`infra/deploy.md does not describe ${names}`);
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ name, usual, text }));
    });
  return rows.map((row) => {
    const schema = schemas[row.name];
    if (!schema) throw new Error(`infra/deploy.md describes ${row.name}, which is no setting`);
    return { ...row, schema };
  });
};
