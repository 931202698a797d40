/**
 * What the browser keeps of one person: the chosen organization, drafts of forms, and in memory every answer of the service. No
 * other person who signs in with this browser may see any of it.
 */
const userKey = 'console.user';
export const organizationKey = 'console.organization';
export const draftPrefix = 'console.draft.';

/** The person whose answers this page has in memory. */
let heldUserId: string | undefined;

const forgetDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key);
};

const forgetChoices = (): void => {
  localStorage.removeItem(organizationKey);
  forgetDrafts();
};

/** Loads the console anew, which empties its memory. Other tabs have their own drafts. */
const startAnew = (): void => {
  forgetDrafts();
  location.replace('/console/');
};

/** Called with every answer about who is signed in. False if the page is being left, because it belonged to someone else. */
export const holdsDataOf = (userId: string): boolean => {
  if (localStorage.getItem(userKey) !== userId) {
    forgetChoices();
    localStorage.setItem(userKey, userId);
  }
  const isOther = heldUserId !== undefined && heldUserId !== userId;
  if (isOther) startAnew();
  else heldUserId = userId;
  return !isOther;
};

/** After a sign-out. */
export const forgetPerson = (): void => {
  heldUserId = undefined;
  forgetChoices();
  localStorage.removeItem(userKey);
};

/** Leaves a page whose person has signed out in another tab, or was replaced while the browser kept the page in its history. */
export const watchPerson = (): void => {
  const check = (): void => {
    if (heldUserId !== undefined && localStorage.getItem(userKey) !== heldUserId) startAnew();
  };
  window.addEventListener('storage', check);
  window.addEventListener('pageshow', ({ persisted }) => persisted && check());
};
