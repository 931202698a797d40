/** Finds a document for a command, and says how far it has searched. */
import { namesGoogleProject } from '../../../shared/client/index.ts';
import { formatCounted, formatTime } from '../output/format.ts';
import type { Located } from '../output/located-view.ts';
import { chooseProjectId } from './choose-project.ts';
import type { Context } from './context.ts';
import { type Searched, searchDocument } from './search-document.ts';

interface Question {
  readonly pasted: string;
  readonly project: string | undefined;
  /** Whether older backups need not be examined. */
  readonly isEnough: (located: Located) => boolean;
}

/** Looks into ever older backups, until it is enough. */
export const locate = async (context: Context, { pasted, project, isEnough }: Question): Promise<Searched> => {
  const { output, signal } = context;
  const client = await context.client();
  const isNamed = project === undefined && namesGoogleProject(pasted);
  const projectId = isNamed ? undefined : await chooseProjectId(context, project);
  let searched: Searched | undefined;
  try {
    for await (searched of searchDocument(client, { query: { projectId, path: pasted }, signal })) {
      const { located, nextCursor } = searched;
      if (nextCursor === null || isEnough(located)) break;
      const since = located.backups.at(-1);
      const back = since ? `, back to ${formatTime(since.readTime ?? since.createdAt)}` : '';
      output.progress(`\r\u001b[KSearching: ${formatCounted(located.examined, 'backup')}${back}`);
    }
  } finally {
    output.progress('\r\u001b[K');
  }
  if (!searched) throw new Error('the service returned no page');
  for (const { place, backupId, message } of searched.located.notSearched)
    output.warn(`the id was not looked for in ${placeWords[place]}${backupId ? ` ${backupId}` : ''}: ${message}`);
  return searched;
};

const placeWords = { live: 'the live database', backup: 'backup', captures: 'captured changes' } as const;
