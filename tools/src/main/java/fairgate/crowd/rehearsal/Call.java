package fairgate.crowd.rehearsal;

/// The kinds of calls with separate response times.
enum Call {
  PAGE("sale page"),
  CHALLENGE("challenge"),
  JOIN("join"),
  STATUS("status"),
  PURCHASE("purchase"),
  PAY("pay"),
  ACCOUNT("account"),
  APPEAL("appeal"),
  ADMIN("operator");

  private final String text;

  Call(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
