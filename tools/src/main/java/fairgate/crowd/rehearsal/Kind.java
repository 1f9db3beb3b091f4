package fairgate.crowd.rehearsal;

/// Who a visitor is.
enum Kind {
  HONEST("honest buyers"),
  BOT("bots");

  private final String text;

  Kind(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
