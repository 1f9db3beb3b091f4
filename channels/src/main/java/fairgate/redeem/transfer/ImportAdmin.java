package fairgate.redeem.transfer;

import static fairgate.kernel.Role.SELLER;

import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Imports of order files. The body is the file; the query has the import options.
record ImportAdmin(ImportService imports) {
  private static final String PATH = "/api/admin/orders/import";
  private static final String WORDS = "/api/admin/orders/import-words";
  private static final AdminInput UPLOAD =
      AdminInput.query(
              "file_name",
              "product",
              "platform",
              "status",
              "currency",
              "zone",
              "encoding",
              "exported_at",
              "trust_zeros",
              "dry_run")
          .and(ImportOptions.FIELDS.stream().map(field -> "map." + field).toList());
  private static final AdminInput WORD = AdminInput.body("word", "status");
  private static final String UNKNOWN = "unknown";
  private static final int NEWEST = 50;
  private static final int MAX_REFUSED_ROWS = 20;
  private static final int LONGEST_OPTION = 200;

  /// The response waits this long for the import, so one call is enough for a short file.
  private static final Duration SHORT = Duration.ofSeconds(2);

  private static final Duration LONGEST_UPLOAD = Duration.ofHours(1);
  private static final Duration BUSY = Duration.ofSeconds(5);

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingPost("/api/admin/orders/import", admin.guard(UPLOAD, this::submit))
            .roles(SELLER)
            .withStreamedBody(TransferFeature.Config.MAX_FILE_BYTES)
            .withDeadline(LONGEST_UPLOAD),
        Route.blockingGet("/api/admin/orders/import", admin.guard(this::list)).roles(SELLER),
        Route.blockingGet("/api/admin/orders/import/{id}", admin.guard(this::one)).roles(SELLER),
        Route.blockingGet("/api/admin/orders/import/{id}/errors.csv", admin.guard(this::errors))
            .roles(SELLER),
        Route.blockingPost("/api/admin/orders/import/{id}/undo", admin.guard(this::undo))
            .roles(SELLER)
            .withDeadline(LONGEST_UPLOAD),
        Route.blockingGet(WORDS, admin.guard(this::words)).roles(SELLER),
        Route.blockingPost(WORDS, admin.guard(WORD, this::mapWord)).roles(SELLER));
  }

  private Reply submit(Request request) throws IOException {
    ImportOptions options = options(request);
    Optional<String> wrong = options.problem();
    if (wrong.isPresent()) {
      throw new InvalidRequest(wrong.get(), "import_option");
    }
    String name = text(request, "file_name", "orders.csv");
    ImportService.ImportOutcome outcome =
        imports.submit(request.bodyStream(), name, options, AdminGuard.actor(request));
    return switch (outcome) {
      case ImportService.ImportOutcome.Started(ImportJob job) ->
          reply(request, imports.settled(job.id(), SHORT).orElse(job), false);
      case ImportService.ImportOutcome.Running(ImportJob job) -> reply(request, job, true);
      case ImportService.ImportOutcome.Repeated(ImportJob job) -> reply(request, job, true);
      case ImportService.ImportOutcome.Refused(String option, String key, List<Object> arguments) ->
          throw new InvalidRequest(option, key, arguments.toArray());
      case ImportService.ImportOutcome.Busy() ->
          Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(BUSY));
    };
  }

  private Reply list(Request request) {
    JsonText all = JsonText.array();
    for (ImportJob job : imports.newest(NEWEST)) {
      all = all.add(json(request, job));
    }
    return Reply.json(200, JsonText.object().put("imports", all).bytes());
  }

  private Reply one(Request request) {
    return imports
        .find(request.pathParam("id"))
        .map(job -> Reply.json(200, report(request, job).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private Reply errors(Request request) {
    String id = request.pathParam("id");
    if (imports.find(id).isEmpty()) {
      return Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
    }
    return Reply.stream(
            200, "text/csv; charset=utf-8", out -> imports.writeErrors(id, request.language(), out))
        .header("content-disposition", "attachment; filename=\"errors-" + id + ".csv\"");
  }

  private Reply undo(Request request) {
    String id = request.pathParam("id");
    return switch (imports.undo(id, AdminGuard.actor(request))) {
      case ImportService.UndoOutcome.Unknown() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      case ImportService.UndoOutcome.Running() -> throw new InvalidRequest("id", "import_running");
      case ImportService.UndoOutcome.DryRun() -> throw new InvalidRequest("id", "import_dry_run");
      case ImportService.UndoOutcome.Undone undone ->
          Reply.json(
              200,
              json(request, undone.job())
                  .put(
                      "undo",
                      JsonText.object()
                          .put("put_back", undone.putBack())
                          .put("removed", undone.removed())
                          .put("kept", undone.kept())
                          .put("codes_revoked", undone.codes().revoked())
                          .put("codes_restored", undone.codes().restored()))
                  .bytes());
    };
  }

  private Reply words(Request request) {
    JsonText all = JsonText.array();
    for (ImportService.OwnWord own : imports.ownWords()) {
      all.add(
          JsonText.object()
              .put("word", own.word())
              .put("status", own.status())
              .put("actor", own.actor())
              .put("mapped_at", own.at().toString()));
    }
    return Reply.json(200, JsonText.object().put("words", all).bytes());
  }

  private Reply mapWord(Request request) {
    JsonBody body = request.json();
    String word = body.text("word", 1, StatusWords.MAX_LENGTH);
    String status = body.text("status");
    if (!ImportService.isWord(word)) {
      throw body.problem("word", "bad_format");
    }
    if (status.equals(UNKNOWN)) {
      imports.forgetWord(word);
    } else if (StatusWords.STATUSES.contains(status)) {
      imports.mapWord(word, status, AdminGuard.actor(request));
    } else {
      throw body.problem("status", "import_option");
    }
    return words(request);
  }

  /// The import with the reports of its earlier runs and, once it has ended, its first rejected
  /// rows and the words in them that can be mapped.
  private JsonText report(Request request, ImportJob job) {
    JsonText json = json(request, job).putRaw("earlier_runs", job.earlierRuns());
    if (job.finishedAt() == null || job.counts().refused() == 0) {
      return json;
    }
    JsonText words = JsonText.array();
    for (ImportService.UnknownWord unknown : imports.unknownWords(job.id())) {
      words.add(JsonText.object().put("word", unknown.word()).put("rows", unknown.rows()));
    }
    JsonText rows = JsonText.array();
    imports
        .refusedRows(job.id(), MAX_REFUSED_ROWS, request.language())
        .forEach(
            row ->
                rows.add(JsonText.object().put("row", row.number()).put("problem", row.problem())));
    return json.put("unknown_words", words).put("refused_rows", rows);
  }

  private Reply reply(Request request, ImportJob job, boolean repeated) {
    boolean running = job.state() == ImportJob.State.RUNNING;
    return Reply.json(running ? 202 : 200, report(request, job).put("repeated", repeated).bytes())
        .header("location", PATH + "/" + job.id());
  }

  private static ImportOptions options(Request request) {
    Map<String, String> headings = new HashMap<>();
    for (String field : ImportOptions.FIELDS) {
      String heading = text(request, "map." + field, "");
      if (!heading.isEmpty()) {
        headings.put(field, heading);
      }
    }
    return new ImportOptions(
        text(request, "product", ""),
        text(request, "platform", ""),
        text(request, "status", ""),
        text(request, "currency", ImportOptions.CURRENCY),
        text(request, "zone", ""),
        text(request, "encoding", ""),
        headings,
        text(request, "exported_at", ""),
        flag(request, "trust_zeros"),
        flag(request, "dry_run"));
  }

  private static String text(Request request, String name, String otherwise) {
    String text = request.query(name);
    if (text == null || text.isEmpty()) {
      return otherwise;
    }
    if (text.length() > LONGEST_OPTION) {
      throw new InvalidRequest(name, "bad_length", 1, LONGEST_OPTION);
    }
    return text;
  }

  private static boolean flag(Request request, String name) {
    return switch (text(request, name, "false")) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new InvalidRequest(name, "not_boolean");
    };
  }

  private static JsonText json(Request request, ImportJob job) {
    ImportJob.RowCounts counts = job.counts();
    ImportJob.Codes codes = job.codes();
    @Nullable Instant finished = job.finishedAt();
    @Nullable Instant undone = job.undoneAt();
    JsonText json =
        JsonText.object()
            .put("id", job.id())
            .put("file_name", job.fileName())
            .put("dry_run", job.dryRun())
            .put("run", job.run())
            .put("state", job.state().word())
            .put("encoding", job.encoding())
            .put("rows_total", job.rowsTotal())
            .put("rows_done", job.rowsDone())
            .put("added", counts.added())
            .put("updated", counts.updated())
            .put("unchanged", counts.unchanged())
            .put("duplicates", counts.duplicates())
            .put("refused", counts.refused())
            .put("blank", counts.blank())
            .put("codes_revoked", codes.revoked())
            .put("codes_restored", codes.restored())
            .put("codes_in_use", codes.inUse())
            .put("started_at", job.startedAt().toString())
            .put("finished_at", finished == null ? null : finished.toString())
            .put("undone_at", undone == null ? null : undone.toString());
    if (codes.revoked() + codes.restored() + codes.inUse() == 0) {
      return json;
    }
    String key = job.dryRun() ? "import.codes_would" : "import.codes_did";
    return json.put(
        "notice",
        Messages.text(request.language(), key, codes.revoked(), codes.restored(), codes.inUse()));
  }
}
