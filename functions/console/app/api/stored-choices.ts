/**
 * What the browser keeps of one person: the chosen organization, drafts of forms, the pages visited last, what was put off, and in memory every answer
 * of the service. No other person who signs in with this browser may see any of it.
 */
const userKey = 'console.user';
export const organizationKey = 'console.organization';
export const draftPrefix = 'console.draft.';
/** The invitations that are not offered again in this tab. */
export const dismissedKey = 'console.dismissedInvitations';
/** With the id of an organization: the pages of it that were visited last. */
export const recentPrefix = 'console.recent.';

/** The person whose answers this page has in memory. */
let heldUserId: string | undefined;

/** Of this tab, or with localStorage of all tabs. */
const forgetIn = (storage: Storage): void => {
  const isOfPerson = (key: string): boolean =>
    [userKey, organizationKey, dismissedKey].includes(key) || key.startsWith(draftPrefix) || key.startsWith(recentPrefix);
  for (const key of Object.keys(storage).filter(isOfPerson)) storage.removeItem(key);
};

/** Loads the console anew, which empties its memory. Other tabs have their own choices and drafts. */
const startAnew = (): void => {
  forgetIn(sessionStorage);
  location.replace('/console/');
};

/** Called with every answer about who is signed in. False if the page is being left, because it belonged to someone else. */
export const holdsDataOf = (userId: string): boolean => {
  // The other person may have signed in with another tab.
  for (const storage of [localStorage, sessionStorage]) {
    if (storage.getItem(userKey) === userId) continue;
    forgetIn(storage);
    storage.setItem(userKey, userId);
  }
  const isOther = heldUserId !== undefined && heldUserId !== userId;
  if (isOther) startAnew();
  else heldUserId = userId;
  return !isOther;
};

/** False if this browser keeps no person: asking the service for a session would only be refused. */
export const mayHoldSession = (): boolean => localStorage.getItem(userKey) !== null;

/** After a sign-out. */
export const forgetPerson = (): void => {
  heldUserId = undefined;
  forgetIn(localStorage);
  forgetIn(sessionStorage);
};

/**
 * Leaves a page whose person has signed out in another tab, or was replaced while the browser kept the page in its history.
 * A link that is opened in a new tab shows the organization of the tab with the link: the tab that gets the focus sets the default.
 */
export const watchPerson = (): void => {
  const check = (): void => {
    if (heldUserId !== undefined && localStorage.getItem(userKey) !== heldUserId) startAnew();
  };
  window.addEventListener('focus', () => {
    const organizationId = sessionStorage.getItem(organizationKey);
    const isHeld = heldUserId !== undefined && localStorage.getItem(userKey) === heldUserId;
    if (isHeld && organizationId !== null) localStorage.setItem(organizationKey, organizationId);
  });
  window.addEventListener('storage', check);
  window.addEventListener('pageshow', ({ persisted }) => persisted && check());
};
