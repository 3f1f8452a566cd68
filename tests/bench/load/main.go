// Posts one body over kept connections for some seconds and says how many answers came, and how soon.
//
// Usage: load -url URL -ca FILE -body FILE -expect TEXT [-connections N] [-seconds N] [-rate N]. Prints one JSON object.
// An answer without status 200 or without the expected text is a failure, and ends the run with exit code 1.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sort"
	"sync"
	"time"
)

type result struct {
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
	Median   float64 `json:"median_ms"`
	Late     float64 `json:"p99_ms"`
	Latest   float64 `json:"max_ms"`
}

type work struct {
	url            string
	body, expected []byte
	trust          *x509.CertPool
	until          time.Time
	pause          time.Duration
}

func main() {
	url := flag.String("url", "", "where to post")
	ca := flag.String("ca", "", "PEM file of the authority to trust")
	file := flag.String("body", "", "file to post")
	expected := flag.String("expect", "", "text that every answer has")
	connections := flag.Int("connections", 8, "how many at a time")
	seconds := flag.Float64("seconds", 3, "how long")
	rate := flag.Float64("rate", 0, "requests a second over all connections; 0 for as many as possible")
	flag.Parse()
	pem, body := read(*ca), read(*file)
	trust := x509.NewCertPool()
	if !trust.AppendCertsFromPEM(pem) {
		log.Fatalf("%s: no certificate", *ca)
	}
	began := time.Now()
	until := began.Add(time.Duration(*seconds * float64(time.Second)))
	var pause time.Duration
	if *rate > 0 {
		pause = time.Duration(float64(*connections) / *rate * float64(time.Second))
	}
	asked := work{*url, body, []byte(*expected), trust, until, pause}
	times := make([][]float64, *connections)
	failures := make([]error, *connections)
	var group sync.WaitGroup
	for number := range times {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			// evenly, not as many at once as there are connections
			first := began.Add(pause * time.Duration(number) / time.Duration(*connections))
			times[number], failures[number] = client(asked, first)
		}(number)
	}
	group.Wait()
	took := time.Since(began).Seconds()
	for _, failure := range failures {
		if failure != nil {
			log.Fatal(failure)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(summary(times, took)); err != nil {
		log.Fatal(err)
	}
}

func read(name string) []byte {
	content, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return content
}

// One connection, because each client has a transport of its own and asks one request after the other.
func client(asked work, next time.Time) ([]float64, error) {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: asked.trust},
		TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	defer transport.CloseIdleConnections()
	connection := &http.Client{Transport: transport, Timeout: 10 * time.Second}
	var times []float64
	for time.Now().Before(asked.until) {
		time.Sleep(time.Until(next))
		next = next.Add(asked.pause)
		began := time.Now()
		if err := once(connection, asked); err != nil {
			return nil, err
		}
		times = append(times, float64(time.Since(began))/float64(time.Millisecond))
	}
	return times, nil
}

func once(connection *http.Client, asked work) error {
	answer, err := connection.Post(asked.url, "application/json", bytes.NewReader(asked.body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK || !bytes.Contains(text, asked.expected) {
		return fmt.Errorf("status %d: %.200s", answer.StatusCode, text)
	}
	return nil
}

func summary(times [][]float64, took float64) result {
	var all []float64
	for _, each := range times {
		all = append(all, each...)
	}
	if len(all) == 0 {
		log.Fatal("no answer came in time")
	}
	sort.Float64s(all)
	at := func(part float64) float64 { return all[min(len(all)-1, int(part*float64(len(all))))] }
	return result{len(all), took, at(0.5), at(0.99), all[len(all)-1]}
}
