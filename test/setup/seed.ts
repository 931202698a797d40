/** Loaded before every test file by `npm test`: where the property tests start. */
import fc from 'fast-check';

const given = process.env.TEST_SEED ?? '1';
/** Undefined if each run is to draw its own. */
export const givenSeed = given === 'random' ? undefined : Number(given);

if (givenSeed !== undefined) fc.configureGlobal({ seed: givenSeed });
