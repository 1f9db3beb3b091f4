/// What the bot says: commands in three languages, and the conversations behind them.
@NullMarked
@CheckReturnValue
package fairgate.line.talk;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
