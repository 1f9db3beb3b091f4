/// Tests of the parts of the log configuration.
@NullMarked
package fairgate.app.logging;

import org.jspecify.annotations.NullMarked;
