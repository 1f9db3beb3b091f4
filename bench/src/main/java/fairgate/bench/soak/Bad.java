package fairgate.bench.soak;

/// How a connection misbehaves.
enum Bad {
  SILENT("connects and sends nothing", 50, 12, ""),
  HALF_HEAD("sends half a head and stalls", 50, 12, "GET /api/products HTTP/1.1\r\nX-Long: "),
  DRIP_HEAD("sends a byte a second of its head", 50, 12, "GET /api/products HTTP/1.1\r\nX-Long: "),
  DRIP_BODY(
      "sends a byte a second of its body",
      50,
      12,
      "POST /api/queue/join HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n"),
  HALF_CLOSED(
      "asks twice, closes its half and listens",
      20,
      4,
      "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2)),
  CLOSED_FIRST("closes its half before it asks", 20, 4, ""),
  DEAF(
      "asks for 12 MB and reads nothing",
      20,
      92,
      "GET /assets/style.css HTTP/1.1\r\nHost: x\r\n\r\n".repeat(600)),
  SLOW_READER(
      "asks for as much and reads a byte a second",
      20,
      92,
      "GET /assets/style.css HTTP/1.1\r\nHost: x\r\n\r\n".repeat(600)),
  SLOW_STREAM("reads its event stream by a byte a second", 20, 0, ""),
  RESET("asks and breaks off at once", 10, 0, "GET /p/71 HTTP/1.1\r\nHost: x\r\n\r\n"),
  IDLE(
      "keeps its connection, and asks once a minute",
      3_000,
      0,
      "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");

  private final String wording;
  private final int count;
  private final int longest;
  private final String first;

  /// @param count concurrent connections
  /// @param longest seconds after which the server must have closed it; 0 if it need not
  /// @param first data that it sends first
  Bad(String wording, int count, int longest, String first) {
    this.wording = wording;
    this.count = count;
    this.longest = longest;
    this.first = first;
  }

  String wording() {
    return wording;
  }

  int count() {
    return count;
  }

  int longest() {
    return longest;
  }

  String first() {
    return first;
  }
}
