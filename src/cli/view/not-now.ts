/** A question of the page that has no answer at this state, with the reason: no fault of the program. */
export class NotNow extends Error {}
