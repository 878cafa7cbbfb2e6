"""Reaches for the network through every library that can: urllib, http, ftplib, smtplib, xmlrpc, logging handlers, a browser. None is there, or none gets a socket."""

def first_that_works(tries):
    """Return "contained", or the first of `tries` that was not refused."""
    for name, act in tries:
        try:
            got = act()
        except Exception:
            continue
        return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def fetch():
    import urllib.request

    return urllib.request.urlopen("http://127.0.0.1:9/").read()


def http():
    import http.client

    return http.client.HTTPConnection("127.0.0.1", 9).request("GET", "/")


def ftp():
    import ftplib

    return ftplib.FTP("127.0.0.1")


def mail():
    import smtplib

    return smtplib.SMTP("127.0.0.1", 25)


def rpc():
    import xmlrpc.client

    return xmlrpc.client.ServerProxy("http://127.0.0.1:9").ping()


def connection():
    from multiprocessing.connection import Client

    return Client(("127.0.0.1", 9))


def syslog():
    import logging.handlers

    return logging.handlers.SysLogHandler()


def browser():
    import webbrowser

    return 1 / webbrowser.open("http://127.0.0.1:9/")


def server():
    import socketserver

    return socketserver.TCPServer(("", 0), None)


def name():
    import socket

    return socket.getaddrinfo("localhost", 80)


def answer(n):
    ways = (fetch, http, ftp, mail, rpc, connection, syslog, browser, server, name)
    return first_that_works([(way.__name__, way) for way in ways])


def double(n):
    return 2 * n
