package fairgate.bench.soak;

/// The actions of the crowd, their frequency and their expected replies.
enum Act {
  VISIT("join", 5, 200),
  STATUS("status", 25, 200),
  HEALTH("`/health/live`", 10, 200),
  PAGE("page", 8, 200),
  ASSET("asset", 10, 200),
  REDIRECT("short link", 18, 302),
  CLAIM("claim", 4, 200),
  WEBHOOK("LINE webhook", 8, 200),
  CHALLENGE("challenge", 4, 200),
  BAD("bad request", 8, 0),
  PURCHASE("purchase", 0, 200),
  PAY("payment", 0, 200),
  LEAVE("leave", 0, 200),
  STREAM("event stream opened", 0, 200);

  private final String wording;
  private final int share;
  private final int granted;

  /// @param share percentage of all actions; 0 for follow-ups of others
  /// @param granted the status of a success; 0 for any refusal
  Act(String wording, int share, int granted) {
    this.wording = wording;
    this.share = share;
    this.granted = granted;
  }

  String wording() {
    return wording;
  }

  /// The act that is the turn of a number from 0 to 99.
  static Act of(int number) {
    int left = number;
    for (Act act : values()) {
      left -= act.share;
      if (left < 0) {
        return act;
      }
    }
    throw new IllegalArgumentException("not below a hundred: " + number);
  }

  boolean granted(int status) {
    return granted == 0 ? status >= 400 && status < 500 : status == granted;
  }
}
