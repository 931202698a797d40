/** The names of the objects of a part. Shards have small numbers, so that other chunks of a backup get the numbers above. */
import { filterName, objectName } from '../../archive/index.ts';

const copiedFrom = 50_000_000;

/** The number under which the plan claims and stores the changes of a backup that is built from them. */
export const deltaNumber = 99_999_999;

/** The chunk of the leaves that a part copies. */
export const copiedName = (number: number, part: number): string => objectName('chunk', copiedFrom + number, part);

export const partObjectNames = (number: number, part: number): readonly string[] => {
  const chunks = [objectName('chunk', number, part), ...(number < copiedFrom ? [copiedName(number, part)] : [])];
  return [...chunks, objectName('index', number, part), ...chunks.map(filterName)];
};

/** Whether the chunk was written with the index: `index/00000001-0002`, and `chunk/00000001-0002` or `chunk/50000001-0002`. */
export const isPair = (index: string, chunk: string): boolean => {
  const [ofIndex, ofChunk] = [partOf(index), partOf(chunk)];
  return ofIndex.part === ofChunk.part && (ofIndex.number === ofChunk.number || ofIndex.number + copiedFrom === ofChunk.number);
};

const partOf = (name: string) => {
  const [number = '', part = ''] = name.slice(name.indexOf('/') + 1).split('-');
  return { number: Number(number), part };
};
