package fairgate.app.pages;

import fairgate.kernel.Decision;
import fairgate.platform.http.Reply;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.queue.Seat;
import fairgate.standby.StandbyEntry;
import fairgate.standby.StandbyService.Position;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Renders the waiting list of a sold-out sale.
record StandbyView(PageFrame frame) {
  /// More than this many units can hardly be offered at once.
  private static final int MAX_CHOICES = 20;

  /// An open page shows the offer by itself. In a sale without other visitors it shows that the
  /// service can be reached, so that closed pages of the queue do not keep units from the list; see
  /// `presence.lua`.
  private static final int REFRESH_SECONDS = 20;

  /// The facts of the page.
  ///
  /// @param product the product's name
  /// @param position of the visitor; empty for none
  /// @param max units that one order may have; 0 while nobody can register
  /// @param nextBatchAt when the next planned units come; null for none
  /// @param problem why the last action was refused
  record List(
      String id,
      String product,
      Optional<Position> position,
      int max,
      @Nullable Instant nextBatchAt,
      SaleView.Problem problem) {}

  /// What the template shows.
  ///
  /// @param order the reserved order; empty for none
  /// @param max the largest quantity of the form; 0 for no form
  /// @param seat where the person is because of its risk; empty for the order of registration
  /// @param appeal address of the appeal against the seat; empty for none
  record Shown(
      String id,
      String product,
      String position,
      String more,
      String order,
      int max,
      boolean withdraws,
      String seat,
      String appeal,
      SaleView.Problem problem) {}

  Reply page(Visit visit, int status, List list) {
    Shown shown = shown(list, visit.wording());
    Reply reply =
        frame.reply(
            visit,
            status,
            PageFrame.Content.plain(
                visit.wording().text("standby.title"),
                out -> JtestandbyGenerated.render(out, null, visit.wording(), shown)));
    boolean waits = list.position().map(Position::entry).filter(StandbyEntry::isLive).isPresent();
    return waits && status == 200
        ? reply.header("refresh", REFRESH_SECONDS + ";url=/p/" + list.id() + "/waiting-list")
        : reply;
  }

  private static Shown shown(List list, Wording w) {
    StandbyEntry entry = list.position().map(Position::entry).orElse(null);
    int max = Math.min(list.max(), MAX_CHOICES);
    String rules = rules(list, w);
    if (entry == null) {
      return shown(list, "", rules, "", max, false);
    }
    return switch (entry.state()) {
      case WAITING ->
          shown(
              list,
              place(list.position().orElseThrow(), w),
              list.max() == 0 ? rules : w.sentences(next(list, w), w.text("standby.waiting.more")),
              "",
              0,
              true);
      case OFFERING ->
          shown(list, w.text("standby.offering"), w.text("standby.waiting.more"), "", 0, false);
      case OFFERED -> {
        String order = entry.order() == null ? "" : entry.order().value();
        yield shown(
            list, w.text("standby.offered"), w.text("standby.offered.more"), order, max, false);
      }
      case REFUSED -> shown(list, "", w.text("standby.refused"), "", max, false);
      case WITHDRAWN -> shown(list, "", rules, "", max, false);
    };
  }

  /// How people get units by the list.
  private static String rules(List list, Wording w) {
    if (list.max() == 0) {
      return w.text("standby.paused");
    }
    if (list.nextBatchAt() == null) {
      return w.sentences(w.text("standby.taken"), w.text("standby.more"));
    }
    return w.sentences(next(list, w), w.text("standby.batch"));
  }

  /// When more units come; empty when none are planned.
  private static String next(List list, Wording w) {
    return list.nextBatchAt() == null ? "" : new SaleWording(w).moreUnits(list.nextBatchAt());
  }

  private static String place(Position position, Wording w) {
    return w.words()
        .text("standby.waiting", "place", w.number(position.ahead() + 1))
        .replace("{quantity}", w.number(position.entry().quantity()));
  }

  private static Shown shown(
      List list, String position, String more, String order, int max, boolean withdraws) {
    StandbyEntry seated =
        list.position()
            .map(Position::entry)
            .filter(entry -> withdraws && entry.seat() != Seat.IN_ORDER)
            .orElse(null);
    return new Shown(
        list.id(),
        list.product(),
        position,
        more,
        order,
        max,
        withdraws,
        seated == null ? "" : "wait.seat." + seated.seat().wire(),
        seated == null ? "" : Decision.APPEAL_PATH + seated.decision(),
        list.problem());
  }
}
