package fairgate.draw.witness;

import fairgate.draw.tlog.StrictText;
import fairgate.draw.witness.WitnessService.WitnessOutcome;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// The route of C2SP tlog-witness. Errors are for programs: a status, and a line in English.
public final class WitnessRoutes {
  private static final String PLAIN = "text/plain; charset=utf-8";
  private static final String SIZE = "text/x.tlog.size";

  private final WitnessService service;

  private WitnessRoutes(WitnessService service) {
    this.service = service;
  }

  public static List<Route> of(WitnessService service) {
    WitnessRoutes routes = new WitnessRoutes(service);
    return List.of(
        Route.blockingPost("/add-checkpoint", routes::add)
            .withBodyLimit(WitnessService.MAX_REQUEST));
  }

  private Reply add(Request request) {
    try {
      return reply(service.add(request.body()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Reply reply(WitnessOutcome outcome) {
    return switch (outcome) {
      case WitnessOutcome.Cosigned(String line) -> reply(200, PLAIN, line);
      case WitnessOutcome.Malformed() -> reply(400, PLAIN, "the request is malformed\n");
      case WitnessOutcome.Unsigned() -> reply(403, PLAIN, "the log has not signed this\n");
      case WitnessOutcome.UnknownLog() -> reply(404, PLAIN, "this log is not watched here\n");
      case WitnessOutcome.Conflict(long size) -> reply(409, SIZE, size + "\n");
      case WitnessOutcome.Inconsistent() ->
          reply(422, PLAIN, "the proof does not show that the log only grew\n");
    };
  }

  private static Reply reply(int status, String type, String text) {
    return Reply.bytes(status, type, StrictText.bytes(text));
  }
}
