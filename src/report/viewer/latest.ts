/** One piece of work at a time; of those that are asked for meanwhile the last one follows. */
export class Latest {
  private readonly work: () => Promise<void>;
  private isBusy = false;
  private isAsked = false;
  private hasEnded = false;

  constructor(work: () => Promise<void>) {
    this.work = work;
  }

  ask(): void {
    this.isAsked = true;
    if (!this.isBusy) void this.go();
  }

  end(): void {
    this.hasEnded = true;
  }

  private async go(): Promise<void> {
    this.isBusy = true;
    while (this.isAsked && !this.hasEnded) {
      this.isAsked = false;
      await this.work();
    }
    this.isBusy = false;
  }
}
